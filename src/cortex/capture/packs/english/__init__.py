"""English, by what is said: each module holds the rules of a few families; `en` puts them in order."""
