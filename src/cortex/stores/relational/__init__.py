"""What every SQL store shares: ranking, reading of the past, row codecs, checksums and the rules of writing."""
