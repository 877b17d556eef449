"""Secrets in text: found by name or by how random they look, and replaced before anything is stored.

Most texts have none, so the first question is cheap: is any of the words or prefixes there by which a pattern can
begin? Only then is the pattern compiled and run. Every pattern is bounded, so no input makes it slow.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from operator import attrgetter, itemgetter
from typing import NamedTuple

from cortex.languages.lists import alternatives

REDACTED = "[redacted:"
"""How what stands in the place of a secret begins."""


@dataclass(frozen=True, slots=True)
class Secret:
    """What was found, and where it stood in the text as it came."""

    name: str
    start: int
    end: int


class Redacted(NamedTuple):
    """A text without its secrets: each has become `[redacted:<name>]`, all else is verbatim."""

    text: str
    found: tuple[Secret, ...]


def redacted(text: str) -> Redacted:
    """`text` with every secret replaced by its name. What was redacted before stays as it is."""
    found = _found(text)
    if not found:
        return Redacted(text, ())
    # What stood glued to a secret may only now be seen as one: look again, until there is nothing new.
    for _ in range(_MOST_PASSES):
        cut = _replaced(text, found)
        more = _found(cut)
        if not more:
            break
        found = _apart([*found, *_back(more, found)])
    return Redacted(_replaced(text, found), tuple(found))


def without_secrets(text: str) -> str:
    """`text` with every secret replaced by its name."""
    return text if _is_harmless(text) else redacted(text).text


def pattern_names() -> frozenset[str]:
    """The names a secret can be redacted under."""
    return frozenset({pattern.name for pattern in (*_TOKENS, *_ADDRESSES, *_PHRASES, *_NUMBERS)} | {_UNNAMED})


# --- how values are judged --------------------------------------------------------------------------


def _is_random(value: str, longest_chunk: float = 3.2) -> bool:
    """Whether letters and digits change as in keys, and not as in words, identifiers and paths."""
    chunks = re.findall(r"[A-Z]?[a-z]+|[A-Z]+|\d+", value)
    return (
        any(chunk.isdigit() for chunk in chunks)
        and any(chunk.isalpha() for chunk in chunks)
        and sum(map(len, chunks)) / len(chunks) < longest_chunk
    )


def _is_key(found: re.Match[str]) -> bool:
    """Whether the value of something called a key, a token or a secret is one."""
    value = _value(found)
    if len(value) < 8 or _is_placeholder(value) or _is_expression(value):
        return False
    return _is_random(value, 4.0) if len(value) < 16 else _is_random(value, 5.0)


def _is_password(found: re.Match[str]) -> bool:
    """Whether what stands after a word for password is one, and not a type, a variable or the rest of a sentence."""
    value = _value(found)
    if len(value) < 4 or _is_placeholder(value) or _is_expression(value):
        return False
    if any(char.isdigit() for char in value) or re.search(r"[!@#$%^&*+~]", value):
        return True
    # Letters alone may be a word of the sentence: they must be quoted, or all there is on the line.
    alone = found.string[found.end() : found.end() + 1] in {"", "\n", "\r"} and found.start("bare") >= 0
    return value.isalpha() and len(value) >= 6 and (alone or found.start("bare") < 0)


def _is_told_password(found: re.Match[str]) -> bool:
    """Whether what stands after "the password is" is one: letters alone never are."""
    value = _value(found)
    if len(value) < 4 or _is_placeholder(value) or _is_expression(value):
        return False
    if re.fullmatch(r"(?i)[a-z]{1,8}-?\d{1,4}(?:-[a-z]+)*|\d+(?:st|nd|rd|th|%|x)?(?:[-/][a-z]+)+", value):
        # `sha256`, `256-bit`, `base64-encoded` say how it is kept; `hunter2` does not.
        return not re.match(rf"(?i)(?:{_METHODS})\d|\d+[-/]", value)
    if value.isdigit():
        after = found.string[found.end() : found.end() + 12]
        return not re.match(r"[\s-]{0,2}(?i:bit|byte|char|digit|symbol|letter|day|hour|minute|year|time|sec)", after)
    return any(char.isdigit() for char in value) or bool(re.search(r"\w[!@#$%^&*+~]|[!@#$%^&*+~]\w", value))


_METHODS = "sha|md|base|aes|oauth|utf|rs|hs|es|argon|blake|pbkdf|ed|rsa|v|totp|win|ipv|http|tls|level|step|version|page"


def _value(found: re.Match[str]) -> str:
    start, end = _span(found)
    # Redacted with the secret, for it may be part of it; but it does not make a word one.
    return found.string[start:end].rstrip("!")


def _is_placeholder(value: str) -> bool:
    """Whether it stands for a value that is not given."""
    lowered = value[:64].lower()
    return (
        lowered in _STAND_INS
        or _has_any(_MARKS_OF_STAND_INS, lowered)
        or len(set(value)) < 3
        or _compiled(
            r"[<${%\[(]|[a-z]+://|\.{0,2}/|~/|(?=[a-z_]*+$)[a-z_]*(?:password|passwd|_pass|secret|token|key)"
            r"|[\w.+-]+@[\w-]+\.[\w.]+$"
        ).match(lowered)
        is not None
    )


_MARKS_OF_STAND_INS = (
    "your", "example", "placeholder", "redacted", "changeme", "dummy", "xxxx", "***", "...", "…", "•", "insert",
    "replace", "todo",
)  # fmt: skip


def _names(name: str) -> list[str]:
    return alternatives(name).split("|")


_STAND_INS = frozenset(
    """
    password passwords passwd passphrase pass pwd secret token api key apikey string str text varchar bytes int
    bool boolean any none null nil undefined true false required optional invalid incorrect wrong missing empty
    hidden default value input hash hashed encrypted encoded protected stored unknown credentials username user
    admin sample change_me foobar type field label self this new old current confirm self-service os env process
    config settings request req data form args await async function return lambda const let var def class import
    from
    """.split()
) | {*_names("passwords"), *_names("keys")}


def _is_expression(value: str) -> bool:
    """Whether it is code that yields a secret rather than one."""
    return bool(
        re.match(r"[A-Za-z_]\w*(?:[(\[{]|\.[A-Za-z_]\w*(?:[(\[.]|$)|->|::|\$\()|\w*[({\[<].*[)}\]>]", value[:64])
    )


# --- the patterns -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Pattern:
    name: str
    hints: tuple[str, ...]
    """One of these is in the text, in lower case, wherever the pattern can match."""
    shape: str
    holds: Callable[[re.Match[str]], bool] | None = None
    """What the pattern cannot say."""


def _tokens() -> Iterator[_Pattern]:
    """Secrets that have a shape of their own, and no space within."""
    for name, hints, shape in _SHAPES:
        yield _Pattern(name, tuple(hints.split()), r"(?<![A-Za-z0-9])" + shape)
    yield _Pattern("vault-token", (" s.", "=s.", '"s.'), r"(?<![\w.])s\.[A-Za-z0-9]{24}(?![\w(])", _of_random)
    yield _Pattern("bitcoin-private-key", (), r"(?<![A-Za-z0-9])[5KL][1-9A-HJ-NP-Za-km-z]{50,51}(?![\w])", _is_wif)


def _of_random(found: re.Match[str]) -> bool:
    return _is_random(_value(found))


_W = r"[A-Za-z0-9_-]"
_B64 = r"[A-Za-z0-9+/]"
_SHAPES: tuple[tuple[str, str, str], ...] = (
    ("aws-access-key", "akia asia abia acca a3t", r"(?:AKIA|ASIA|ABIA|ACCA|A3T[A-Z0-9])[A-Z0-9]{16}(?![A-Za-z0-9])"),
    ("aws-bedrock-key", "absk", rf"ABSK{_B64}{{100,280}}={{0,2}}"),
    ("aws-mws-token", "amzn.mws.", r"amzn\.mws\.[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}"),
    ("gcp-api-key", "aiza", rf"AIza{_W}{{35}}"),
    ("gcp-access-token", "ya29.", rf"ya29\.{_W}{{20,2000}}"),
    ("gcp-client-secret", "gocspx-", rf"GOCSPX-{_W}{{20,40}}"),
    ("gcp-refresh-token", "1//0", rf"1//0{_W}{{40,200}}"),
    ("firebase-key", ":apa91", rf"{_W}{{10,30}}:APA91{_W}{{100,200}}"),
    ("azure-storage-key", "accountkey=", rf"AccountKey=(?P<secret>{_B64}{{80,90}}={{0,2}})"),
    ("azure-shared-key", "sharedaccesskey=", rf"SharedAccessKey=(?P<secret>{_B64}{{40,50}}={{0,2}})"),
    ("azure-sas", "sig=", r"sig=(?P<secret>[A-Za-z0-9%+/]{30,200}={0,2})"),
    ("azure-client-secret", "q~", r"[A-Za-z0-9_~.-]{3}\dQ~[A-Za-z0-9_~.-]{31,34}"),
    ("azure-devops-token", "azdo", r"[A-Za-z0-9]{70,80}AZDO[A-Za-z0-9]{4}"),
    ("github-token", "ghp_", r"ghp_[A-Za-z0-9]{30,255}"),
    ("github-oauth-token", "gho_", r"gho_[A-Za-z0-9]{30,255}"),
    ("github-user-token", "ghu_", r"ghu_[A-Za-z0-9]{30,255}"),
    ("github-server-token", "ghs_", r"ghs_[A-Za-z0-9]{30,255}"),
    ("github-refresh-token", "ghr_", r"ghr_[A-Za-z0-9]{30,255}"),
    ("github-fine-grained-token", "github_pat_", r"github_pat_[A-Za-z0-9_]{22,255}"),
    ("gitlab-token", "glpat-", rf"glpat-{_W}{{20,300}}"),
    ("gitlab-deploy-token", "gldt-", rf"gldt-{_W}{{20,300}}"),
    ("gitlab-runner-token", "glrt- glrtr-", rf"glrtr?-{_W}{{20,300}}"),
    ("gitlab-job-token", "glcbt-", rf"glcbt-{_W}{{20,300}}"),
    ("gitlab-trigger-token", "glptt-", rf"glptt-{_W}{{20,300}}"),
    ("gitlab-feed-token", "glft-", rf"glft-{_W}{{20,300}}"),
    ("gitlab-mail-token", "glimt-", rf"glimt-{_W}{{20,300}}"),
    ("gitlab-agent-token", "glagent-", rf"glagent-{_W}{{20,300}}"),
    ("gitlab-oauth-secret", "gloas-", rf"gloas-{_W}{{20,300}}"),
    ("bitbucket-token", "atbb atctt3", rf"(?:ATBB|ATCTT3){_W}{{24,250}}={{0,2}}"),
    ("atlassian-token", "atatt3 atsta", rf"(?:ATATT3|ATSTA){_W}{{50,300}}=?{_W}{{0,12}}"),
    ("trello-token", "atta", r"ATTA[0-9a-f]{60,80}"),
    ("slack-config-token", "xoxe.", r"xoxe\.xox[bp]-[A-Za-z0-9-]{20,300}"),
    ("slack-token", "xoxa- xoxb- xoxe- xoxo- xoxp- xoxr- xoxs- xoxc- xoxd-",
     r"xox[abceoprsd]-(?=[A-Za-z-]{0,20}\d)[A-Za-z0-9%-]{10,300}"),
    ("slack-app-token", "xapp-", r"xapp-[A-Za-z0-9-]{20,200}"),
    ("slack-webhook", "hooks.slack.com",
     r"hooks\.slack\.com/(?:services|workflows|triggers)/(?P<secret>[\w/-]{20,120})"),
    ("discord-webhook", "/api/webhooks/", rf"discord(?:app)?\.com/api/webhooks/(?P<secret>\d{{16,22}}/{_W}{{40,90}})"),
    ("discord-token", "", rf"[MNO]{_W}{{23,27}}\.{_W}{{6}}\.{_W}{{27,45}}(?![\w-])"),
    ("teams-webhook", "webhook.office.com", r"webhook\.office\.com/(?P<secret>[\w@/-]{40,300})"),
    ("zapier-webhook", "hooks.zapier.com", r"hooks\.zapier\.com/hooks/catch/(?P<secret>[\w/]{8,80})"),
    ("telegram-token", ":aa", rf"\d{{8,10}}:AA{_W}{{33}}(?![\w-])"),
    ("stripe-secret-key", "sk_live_ sk_test_", r"sk_(?:live|test)_[A-Za-z0-9]{16,250}"),
    ("stripe-restricted-key", "rk_live_ rk_test_", r"rk_(?:live|test)_[A-Za-z0-9]{16,250}"),
    ("stripe-webhook-secret", "whsec_", r"whsec_[A-Za-z0-9+/]{24,100}={0,2}"),
    ("twilio-key", "sk", r"SK[0-9a-f]{32}(?![A-Za-z0-9])"),
    ("sendgrid-key", "sg.", rf"SG\.{_W}{{16,32}}\.{_W}{{32,64}}"),
    ("mailgun-key", "key-", r"key-[0-9a-f]{32}(?![A-Za-z0-9])"),
    ("mailchimp-key", "-us", r"[0-9a-f]{32}-us\d{1,2}(?!\d)"),
    ("brevo-key", "xkeysib- xsmtpsib-", r"x(?:key|smtp)sib-[0-9a-f]{64}-[A-Za-z0-9]{16}"),
    ("resend-key", "re_", r"re_[A-Za-z0-9]{8}_[A-Za-z0-9]{20,32}(?![A-Za-z0-9_])"),
    ("openai-key", "sk-proj- sk-svcacct- sk-admin- t3blbkfj",
     rf"sk-(?:(?:proj|svcacct|admin)-{_W}{{20,250}}|{_W}{{10,100}}T3BlbkFJ{_W}{{10,100}})"),
    ("anthropic-key", "sk-ant-", rf"sk-ant-{_W}{{20,250}}"),
    ("openrouter-key", "sk-or-", r"sk-or-(?:v1-)?[0-9a-f]{40,80}"),
    ("model-provider-key", "sk-", r"sk-[A-Za-z0-9]{32,128}(?![A-Za-z0-9-])"),
    ("elevenlabs-key", "sk_", r"sk_[0-9a-f]{40,64}(?![A-Za-z0-9])"),
    ("huggingface-token", "hf_ api_org_", r"(?:hf|api_org)_[A-Za-z0-9]{34,40}(?![A-Za-z0-9_])"),
    ("replicate-token", "r8_", r"r8_[A-Za-z0-9]{30,50}"),
    ("groq-key", "gsk_", r"gsk_[A-Za-z0-9]{40,64}"),
    ("perplexity-key", "pplx-", r"pplx-[A-Za-z0-9]{40,64}"),
    ("xai-key", "xai-", r"xai-[A-Za-z0-9]{60,100}"),
    ("nvidia-key", "nvapi-", rf"nvapi-{_W}{{40,80}}"),
    ("fireworks-key", "fw_", r"fw_[A-Za-z0-9]{22,40}(?![A-Za-z0-9_])"),
    ("langsmith-key", "lsv2_", r"lsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{8,12}"),
    ("langfuse-key", "sk-lf-", r"sk-lf-[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}"),
    ("pinecone-key", "pcsk_", r"pcsk_[A-Za-z0-9]{4,8}_[A-Za-z0-9]{40,80}"),
    ("tavily-key", "tvly-", r"tvly-(?:dev-|prod-)?[A-Za-z0-9]{20,50}"),
    ("jina-key", "jina_", rf"jina_{_W}{{50,80}}"),
    ("voyage-key", "pa-", r"pa-[A-Za-z0-9_-]{43}(?![\w-])"),
    ("npm-token", "npm_", r"npm_[A-Za-z0-9]{36}(?![A-Za-z0-9])"),
    ("npm-auth-token", ":_authtoken=", r":_authToken=(?P<secret>[A-Za-z0-9_/+=-]{16,200})"),
    ("pypi-token", "pypi-age", rf"pypi-AgE{_W}{{50,500}}"),
    ("rubygems-key", "rubygems_", r"rubygems_[0-9a-f]{48}"),
    ("crates-token", "cio", r"cio[A-Za-z0-9]{32}(?![A-Za-z0-9])"),
    ("nuget-key", "oy2", r"oy2[a-z0-9]{43}(?![A-Za-z0-9])"),
    ("clojars-token", "clojars_", r"CLOJARS_[0-9a-z]{60}"),
    ("docker-token", "dckr_pat_ dckr_oat_", rf"dckr_[po]at_{_W}{{20,80}}"),
    ("heroku-key", "hrku-", rf"HRKU-{_W}{{36,80}}"),
    ("digitalocean-token", "dop_v1_ doo_v1_ dor_v1_", r"do[opr]_v1_[0-9a-f]{64}"),
    ("cloudflare-origin-key", "v1.0-", r"v1\.0-[0-9a-f]{24}-[0-9a-f]{146}"),
    ("fly-token", "fo1_ fm1_ fm2_", r"(?:fo1_[A-Za-z0-9_-]{43}|fm[12][ar]?_[A-Za-z0-9+/=,_-]{100,2000})"),
    ("netlify-token", "nfp_", r"nfp_[A-Za-z0-9]{36,50}"),
    ("vercel-token", "vcp_ vci_ vca_ vcr_ vck_", r"vc[pciark]_[A-Za-z0-9]{24,80}"),
    ("render-key", "rnd_", r"rnd_[A-Za-z0-9]{28,40}(?![A-Za-z0-9_])"),
    ("supabase-key", "sbp_ sb_secret_", rf"(?:sbp_[0-9a-f]{{40}}|sb_secret_{_W}{{20,60}})"),
    ("planetscale-token", "pscale_", r"pscale_(?:tkn|pw|oauth)_[A-Za-z0-9._=-]{30,80}"),
    ("neon-key", "napi_", r"napi_[A-Za-z0-9]{60,80}"),
    ("shopify-token", "shpat_ shpss_ shpca_ shppa_", r"shp(?:at|ss|ca|pa)_[0-9a-fA-F]{32}"),
    ("square-token", "sq0atp- sq0csp- sq0idp-", rf"sq0[a-z]{{3}}-{_W}{{22,60}}"),
    ("square-access-token", "eaaa", rf"EAAA[lE]{_W}{{58,62}}(?![\w-])"),
    ("braintree-token", "access_token$", r"access_token\$(?:production|sandbox)\$[0-9a-z]{16}\$[0-9a-f]{32}"),
    ("facebook-token", "eaac eaab eaag", r"EAA[A-Z][A-Za-z0-9]{80,250}"),
    ("instagram-token", "igq", rf"IGQ[VW]{_W}{{80,250}}"),
    ("twitter-bearer-token", "aaaaaaaaaaaaaaaaaaaa", r"A{20,24}[A-Za-z0-9%]{70,120}"),
    ("plaid-token", "access-production- access-sandbox- access-development-",
     r"access-(?:production|sandbox|development)-[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}"),
    ("flutterwave-key", "flwseck", r"FLWSECK(?:_TEST)?-[A-Za-z0-9]{12,64}(?:-X)?"),
    ("razorpay-webhook-secret", "rzp_", r"rzp_(?:live|test)_[A-Za-z0-9]{14,30}:[A-Za-z0-9]{16,40}"),
    ("shippo-token", "shippo_live_ shippo_test_", r"shippo_(?:live|test)_[0-9a-f]{40}"),
    ("easypost-key", "ezak ezts", r"EZ(?:AK|TK)[A-Za-z0-9]{54}"),
    ("duffel-token", "duffel_live_ duffel_test_", rf"duffel_(?:live|test)_{_W}{{40,50}}"),
    ("databricks-token", "dapi", r"dapi[0-9a-f]{32}(?:-\d)?(?![A-Za-z0-9])"),
    ("newrelic-key", "nrak- nrjs- nrii- nrra-", r"NR(?:AK|JS|II|RA)-[A-Za-z0-9_-]{19,48}"),
    ("sentry-token", "sntrys_ sntryu_ sntrya_", r"sntry[sua]_[A-Za-z0-9+/=_]{40,400}"),
    ("sentry-dsn", "sentry", r"https?://(?P<secret>[0-9a-f]{32}(?::[0-9a-f]{32})?)@[\w.-]{0,80}sentry[\w.-]{0,40}/\d"),
    ("grafana-token", "glsa_ glc_ eyjriji eyjrijoi",
     r"(?:glsa_[A-Za-z0-9]{32}_[0-9a-fA-F]{8}|glc_[A-Za-z0-9+/]{32,400}={0,2}|eyJrIjoi[A-Za-z0-9]{60,400}={0,2})"),
    ("honeycomb-key", "hcaik_ hcbik_ hcxik_ hcamk_", r"hc[a-z]{3}_[A-Za-z0-9]{50,70}"),
    ("dynatrace-token", "dt0", r"dt0[a-z]\d{2}\.[A-Z0-9]{24}\.[A-Z0-9]{64}"),
    ("sonar-token", "sqp_ squ_ sqa_", r"sq[pua]_[0-9a-f]{40}"),
    ("posthog-key", "phx_", r"phx_[A-Za-z0-9]{40,60}"),
    ("launchdarkly-key", "sdk- api- mob-", r"(?:sdk|api|mob)-[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}"),
    ("vault-service-token", "hvs. hvb. hvr.", rf"hv[sbr]\.{_W}{{24,300}}"),
    ("terraform-token", ".atlasv1.", rf"[A-Za-z0-9]{{14}}\.atlasv1\.{_W}{{60,80}}"),
    ("doppler-token", "dp.", r"dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9_-]{2,35}\.)?[A-Za-z0-9]{40,44}"),
    ("pulumi-token", "pul-", r"pul-[0-9a-f]{40}"),
    ("onepassword-token", "ops_eyj", r"ops_eyJ[A-Za-z0-9+/=_-]{100,2000}"),
    ("onepassword-secret-key", "a3-", r"A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}"),
    ("infracost-key", "ico-", r"ico-[A-Za-z0-9]{32}"),
    ("linear-key", "lin_api_ lin_oauth_", r"lin_(?:api|oauth)_[A-Za-z0-9]{32,80}"),
    ("notion-token", "secret_ ntn_", r"(?:secret_[A-Za-z0-9]{43}|ntn_[A-Za-z0-9]{40,60})(?![A-Za-z0-9_])"),
    ("airtable-token", "pat", r"pat[A-Za-z0-9]{14}\.[0-9a-f]{64}"),
    ("figma-token", "figd_ figo_ figu_", rf"fig[dou]_{_W}{{36,60}}"),
    ("postman-key", "pmak-", r"PMAK-[0-9a-f]{24}-[0-9a-f]{34}"),
    ("clickup-token", "pk_", r"pk_\d{5,12}_[A-Z0-9]{32}"),
    ("dropbox-token", "sl.", rf"sl\.(?:u\.)?{_W}{{130,1500}}"),
    ("mapbox-token", "sk.eyj", rf"sk\.eyJ{_W}{{40,400}}\.{_W}{{16,40}}"),
    ("contentful-token", "cfpat-", rf"CFPAT-{_W}{{40,50}}"),
    ("typeform-token", "tfp_", r"tfp_[A-Za-z0-9_.=-]{40,80}"),
    ("readme-key", "rdme_", r"rdme_[a-z0-9]{60,80}"),
    ("prefect-key", "pnu_", r"pnu_[a-z0-9]{36}"),
    ("frameio-token", "fio-u-", rf"fio-u-{_W}{{60,70}}"),
    ("buildkite-token", "bkua_", r"bkua_[0-9a-f]{40}"),
    ("circleci-token", "ccipat_", r"CCIPAT_[A-Za-z0-9]{20,24}_[0-9a-f]{40}"),
    ("artifactory-key", "akcp", r"AKCp[A-Za-z0-9]{60,75}"),
    ("artifactory-token", "cmvmdgtu", r"cmVmdGtu[A-Za-z0-9]{50,70}"),
    ("adafruit-key", "aio_", r"aio_[A-Za-z0-9]{28}(?![A-Za-z0-9])"),
    ("alibaba-key", "ltai", r"LTAI[A-Za-z0-9]{16,24}(?![A-Za-z0-9])"),
    ("tencent-key", "akid", r"AKID[A-Za-z0-9]{32}(?![A-Za-z0-9])"),
    ("yandex-key", "aqvn", rf"AQVN{_W}{{35,38}}"),
    ("tailscale-key", "tskey-", r"tskey-[a-z]{2,12}-[A-Za-z0-9]{10,30}(?:-[A-Za-z0-9]{20,50})?"),
    ("age-secret-key", "age-secret-key-1", r"AGE-SECRET-KEY-1[0-9A-Z]{58}"),
    ("nostr-secret-key", "nsec1", r"nsec1[02-9ac-hj-np-z]{58}"),
    ("wallet-extended-key", "prv", r"[xyztuv]prv[1-9A-HJ-NP-Za-km-z]{100,112}"),
    ("jwt", "eyj", rf"(?<![\w-])eyJ{_W}{{8,4000}}\.eyJ{_W}{{8,8000}}\.{_W}{{0,2000}}"),
    ("jwe", "eyj", rf"(?<![\w-])eyJ{_W}{{8,4000}}\.{_W}{{0,2000}}(?:\.{_W}{{8,4000}}){{3}}"),
)  # fmt: skip


_ASSIGN = r"""["'`*\])]{0,3}\s{0,4}(?::=|=>|=(?![=>~])|[:：＝](?![:=]))\s{0,4}\*{0,2}\s{0,2}"""
_VALUE = r"""(?:["'`“「](?P<quoted>[^"'`“”「」\n]{3,200})["'`”」]|(?P<bare>(?:(?!&\w{1,20}=)[^\s"'`“”「」]){3,200}))"""
_KEY_START = r"(?:(?<![A-Za-z0-9])|(?<=[a-z])(?=[A-Z]))"
_IT_START = rf"(?:{_KEY_START}|(?=(?i:passw)))"
_PASSWORD_HINTS = tuple(_names("passwords"))
_NAMES_OF_IT = rf"(?i:{alternatives('passwords')})(?![A-Za-z])"
_UNSPACED_HINTS = tuple(_names("passwords unspaced"))
_FOR = rf"(?:\s{{1,2}}(?:{alternatives('password of')})\s[^\n.:=?!;]{{1,40}}?)?"
_IS = (
    rf"\s{{1,3}}(?:{alternatives('password is')})(?:\s{{1,2}}(?:{alternatives('password is now')}))?"
    r"\s{0,2}:?\s{1,3}"
)
_IS_UNSPACED = rf"\s{{0,3}}(?:{alternatives('password is unspaced')}|[:：=＝])\s{{0,3}}[:：]?\s{{0,3}}"
_ASCII_VALUE = r"""["'`“「]?(?P<bare>[!-~]{4,200})"""
_NAMES_OF_KEYS = (
    r"(?i:(?:api|access|secret|auth|app|account|service|signing|encryption|master|license|licence|subscription|"
    r"private|client|consumer|webhook|bot|bearer|refresh|session|personal|deploy|id)[ _-]{0,2}"
    r"(?:api[ _-]?)?(?:access[ _-]?)?(?:key|token|secret)s?|token|secret|credentials?|"
    rf"{alternatives('keys')})(?![A-Za-z])"
)
_SECRET_HINTS = ("key", "token", "secret", "credential", *_names("keys"))
_UNSPACED_KEYS = alternatives("keys unspaced")
_PRIVATE_KEYS = alternatives("private keys")
_SEED_PHRASES = alternatives("seed phrases")
_PEM_WORDS = r"[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?"


def _url_password(name: str, schemes: str) -> _Pattern:
    """`scheme://user:password@host`, of which only the password is a secret."""
    hints = tuple(f"{scheme}://" for scheme in schemes.split())
    alternatives = "|".join(re.escape(scheme) for scheme in schemes.split())
    shape = rf"(?i:{alternatives})://[^\s/:@\"'<>]{{0,100}}:(?P<secret>[^\s/\"'<>]{{1,200}})@[\w\[%.-]"
    return _Pattern(name, hints, shape, _is_url_password)


def _is_url_password(found: re.Match[str]) -> bool:
    return not re.match(
        r"(?i)(?:your|my|the)?[_-]?(?:db[_-]?)?(?:password|passwd|pass|pwd|secret|token|pw|\*+|x+|\.+)$|[<${%\[(]",
        found["secret"],
    )


_SCHEMES = {
    "postgres-password": "postgres postgresql postgresql+psycopg postgresql+asyncpg postgresql+psycopg2",
    "mysql-password": "mysql mariadb mysql+pymysql mysql+mysqldb mysql2",
    "mongodb-password": "mongodb mongodb+srv",
    "redis-password": "redis rediss",
    "amqp-password": "amqp amqps",
    "mail-password": "smtp smtps imap imaps",
    "ftp-password": "ftp ftps sftp ssh",
    "basic-auth-url": "https http ws wss",
    "database-password": (
        "mssql sqlserver oracle clickhouse cassandra neo4j bolt couchdb ldap ldaps nats kafka snowflake cockroachdb"
    ),
}
"""Addresses that hold passwords, by how they begin."""


def _phrases() -> Iterator[_Pattern]:
    """Secrets known by the words beside them."""
    yield _Pattern(
        "private-key", ("private key",),
        # No repetition that is never given back around another: up to Python 3.11.4 those match wrongly.
        rf"-----BEGIN {_PEM_WORDS}-----(?:[^-]*(?:-(?!----)[^-]*)*-----END {_PEM_WORDS}-----"
        rf"|(?:(?:\s|\\[nr]){{0,8}}[A-Za-z0-9+/=]{{16,}})+)",
    )  # fmt: skip
    yield _Pattern(
        "putty-key", ("private-lines:",), r"Private-Lines: \d{1,3}(?P<secret>(?:\s{1,2}[A-Za-z0-9+/=]{4,64}(?=\s|$))+)"
    )
    yield _Pattern(
        "authorization-header", ("authorization",),
        r"(?i:authorization)[\"'`]?\s{0,2}[:=,]\s{0,2}[\"'`]?(?i:basic|bearer|token|apikey|digest|negotiate|aws4-hmac-sha256)"
        r"\s{1,2}(?P<secret>[A-Za-z0-9._~+/=-]{8,4000})",
        _is_key,
    )  # fmt: skip
    yield _Pattern("bearer-token", ("bearer",), r"(?i:\bbearer)\s{1,2}(?P<secret>[A-Za-z0-9._~+/=-]{16,4000})", _is_key)
    yield _Pattern(
        "auth-header",
        ("x-api-key", "x-auth-token", "x-access-token", "x-token", "api-key", "private-token", "x-gitlab-token"),
        rf"(?i:x-api-key|x-auth-token|x-access-token|x-token|\bapi-key|private-token|x-gitlab-token){_ASSIGN}"
        r"[\"'`]?(?P<secret>[^\s\"'`,;]{8,1000})",
        _is_key,
    )
    yield _Pattern("okta-token", ("ssws ",), r"\bSSWS\s{1,2}(?P<secret>[A-Za-z0-9_-]{30,50})")
    yield _Pattern(
        "cookie", ("cookie:", 'cookie":', "cookie':"),
        r"(?i:(?:set-)?cookie)[\"']?\s{0,2}:\s{0,2}[\"']?"
        r"(?P<secret>[\w.!%-]{1,64}=[^\s;\"']{8,4000}(?:;\s{0,2}[\w.!%-]{1,64}(?:=[^\s;\"']{0,4000})?)*+)",
    )  # fmt: skip
    yield _Pattern(
        "aws-secret-key", ("aws", "secretaccesskey", "secret_access_key"),
        rf"(?i:aws[\w .-]{{0,20}}secret[\w .-]{{0,20}}|secret_?access_?key){_ASSIGN}"
        rf"[\"'`]?(?P<secret>{_B64}{{40}}=?)(?![\w+/])",
    )  # fmt: skip
    yield _Pattern(
        "aws-session-token", ("session_token", "sessiontoken", "security_token"),
        rf"(?i:(?:aws_?)?(?:session|security)_?token){_ASSIGN}[\"'`]?(?P<secret>[A-Za-z0-9+/=]{{100,2000}})",
    )  # fmt: skip
    yield _Pattern(
        "hex-key",
        ("datadog", "dd_", "cloudflare", "cf_", "twilio", "algolia", "snyk", "heroku", "mailjet", "cohere", "asana",
         "okta", "zendesk", "postmark", "fastly", "linode", "vultr", "pagerduty", "opsgenie", "segment", "mixpanel"),
        r"(?i:datadog|dd|cloudflare|cf|twilio|algolia|snyk|heroku|mailjet|cohere|asana|okta|zendesk|postmark|fastly|linode|"
        rf"vultr|pagerduty|opsgenie|segment|mixpanel)(?i:[\w .-]{{0,20}}(?:key|token|secret|auth)){_ASSIGN}"
        r"[\"'`]?(?P<secret>[A-Za-z0-9_-]{20,64})",
        _is_key,
    )  # fmt: skip
    yield _Pattern(
        "crypto-private-key", ("private", "wallet", *_PRIVATE_KEYS.split("|")),
        rf"(?:(?i:private[ _-]?key|wallet[ _-]?key)|{_PRIVATE_KEYS})[^\n]{{0,24}}?"
        rf"(?:[\s:=：\"']|{alternatives('password is unspaced')})"
        r"(?P<secret>(?:0x)?[0-9a-fA-F]{64})(?!\w)",
    )  # fmt: skip
    yield _Pattern(
        "seed-phrase",
        ("seed", "mnemonic", "recovery phrase", "recovery words", "secret phrase", "backup phrase",
         *_SEED_PHRASES.split("|")),
        r"(?i:(?:seed|recovery|secret|backup|wallet)[ -](?:phrase|words?)|mnemonic(?: phrase)?|seed|"
        rf"{_SEED_PHRASES})[^\n:=：]{{0,30}}?(?:\s(?:{alternatives('password is')})\s"
        rf"|[:=：]|{alternatives('password is unspaced')})\s{{0,4}}[\"'`]?"
        r"(?P<secret>(?:(?:\d{1,2}[.)]\s?)?[a-z]{3,8}[\s,]{1,3}){11,23}(?:\d{1,2}[.)]\s?)?[a-z]{3,8})(?![a-z])",
        _is_seed_phrase,
    )  # fmt: skip
    yield _Pattern(
        "query-secret", ("token=", "key=", "secret=", "password=", "passwd=", "pwd=", "sig=", "signature=", "auth="),
        r"[?&](?i:[\w-]{0,20}token|(?:api|access|secret|app|client|subscription)?[_-]?key|[\w-]{0,20}secret|password|passwd|"
        r"pwd|sig|[\w-]{0,20}signature|auth)=(?P<secret>[^\s&#\"'<>)]{8,2000})",
        _is_key,
    )  # fmt: skip
    yield _Pattern(
        "command-line-password", ("--password", "--token", "--api-key", "--secret", "--passphrase", "-u ", "--user "),
        r"(?:(?<!\S)--(?:password|token|api-key|secret|passphrase)[ =]"
        r"|(?<!\S)(?:-u|--user)\s{1,2}[\"']?[^\s:\"'/]{1,64}:)[\"']?(?P<bare>[^\s\"']{4,200})",
        _is_command_line_password,
    )  # fmt: skip
    yield _Pattern(
        "password-element", ("</password", "</secret", "</token", "</apikey", "</pwd", "</passwd"),
        r"<(?i:password|secret|token|apikey|pwd|passwd)>(?P<bare>[^<>\s]{4,200})</",
        _is_password,
    )  # fmt: skip
    yield _Pattern(
        "environment-secret", ("key", "secret", "token", "password", "passwd", "pwd", "credential", "_pass"),
        r"(?m:^)[ \t]{0,8}(?:export |set |ENV |- )?[A-Z0-9_]{0,60}(?:KEY|SECRET|TOKEN|CREDENTIALS?)[A-Z0-9_]{0,20}"
        rf"\s{{0,2}}[=:]\s{{0,2}}{_VALUE}",
        _is_key,
    )  # fmt: skip
    yield _Pattern(
        "password", (*_PASSWORD_HINTS, "_pass"),
        rf"(?:{_IT_START}{_NAMES_OF_IT}|(?<=_)PASS(?![A-Z])){_FOR}{_ASSIGN}{_VALUE}",
        _is_password,
    )  # fmt: skip
    yield _Pattern("password", _PASSWORD_HINTS, rf"{_IT_START}{_NAMES_OF_IT}{_FOR}{_IS}{_VALUE}", _is_told_password)
    for separator, holds in ((_IS_UNSPACED, _is_told_password), (_ASSIGN, _is_password)):
        shape = rf"(?:{'|'.join(_UNSPACED_HINTS)}){separator}{_ASCII_VALUE}"
        yield _Pattern("password", _UNSPACED_HINTS, shape, holds)
    yield _Pattern("secret", _SECRET_HINTS, rf"{_KEY_START}{_NAMES_OF_KEYS}{_FOR}(?:{_ASSIGN}|{_IS}){_VALUE}", _is_key)
    yield _Pattern(
        "secret",
        tuple(dict.fromkeys(_UNSPACED_KEYS.lower().split("|"))),
        rf"(?:{_UNSPACED_KEYS}){_IS_UNSPACED}{_ASCII_VALUE}",
        _is_key,
    )
    yield _Pattern(
        "pin", ("pin", "cvv", "cvc"),
        rf"(?i:\b(?:{alternatives('pin of')})[ -](?:card )?pin"
        r"(?:[ -]?(?:code|number))?|\bcv[vc]2?(?: code| number)?)"
        rf"(?:\s{{1,2}}(?:{alternatives('pin is')})\s{{1,2}}|\s{{0,2}}[:=]\s{{0,2}}|\s)"
        r"(?P<secret>\d{3,8})(?![\d.,]?\d)",
    )  # fmt: skip


def _is_command_line_password(found: re.Match[str]) -> bool:
    # `-u 1000:1000` is a user and a group, `--password options` a sentence about it.
    return not found["bare"].isdigit() and not found["bare"].isalpha() and _is_password(found)


def _numbers() -> Iterator[_Pattern]:
    """Secrets that are numbers, with the check they carry."""
    yield _Pattern(
        "credit-card", (),
        r"(?<![\w.,+-])(?P<secret>[2-6]\d{3}(?P<gap>[ -])\d{4}(?P=gap)\d{4}(?P=gap)\d{4}"
        r"|3[47]\d{2}(?P<way>[ -])\d{6}(?P=way)\d{5}|[2-6]\d{14,18})(?![\w]|[.,-]\d)",
        _is_card,
    )  # fmt: skip
    yield _Pattern(
        "iban", (), r"(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?(?![A-Za-z0-9])", _is_iban
    )
    yield _Pattern("us-ssn", (), r"(?<![\w.-])(?!000|666|9\d\d)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?![\w-])")


def _is_card(found: re.Match[str]) -> bool:
    digits = re.sub(r"\D", "", found["secret"])
    return bool(_issuer().fullmatch(digits)) and len(set(digits)) > 2 and _luhn(digits)


@cache
def _issuer() -> re.Pattern[str]:
    return re.compile(
        r"4\d{15}|5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}|3[47]\d{13}|6(?:011|5\d\d|4[4-9]\d)\d{12}|"
        r"35(?:2[89]|[3-8]\d)\d{12}|62\d{14,17}"
    )


def _luhn(digits: str) -> bool:
    doubled = (int(digit) * (1 + at % 2) for at, digit in enumerate(reversed(digits)))
    return sum(value - 9 if value > 9 else value for value in doubled) % 10 == 0


def _is_iban(found: re.Match[str]) -> bool:
    plain = found.group().replace(" ", "")
    if not 15 <= len(plain) <= 34:
        return False
    return int("".join(str(int(char, 36)) for char in plain[4:] + plain[:4])) % 97 == 1


_BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"


def _is_wif(found: re.Match[str]) -> bool:
    number = 0
    for char in found.group():
        number = number * 58 + _BASE58.index(char)
    whole = number.to_bytes(40, "big").lstrip(b"\0")
    body, check = whole[:-4], whole[-4:]
    return sha256(sha256(body).digest()).digest()[:4] == check


# Words of every day that no list of seed words has.
_NOT_SEEDS = frozenset(
    "the and for with from your are was were has had not but its our his her their them been".split()
)


def _is_seed_phrase(found: re.Match[str]) -> bool:
    words = re.findall(r"[a-z]+", found["secret"])
    return not _NOT_SEEDS.intersection(words)


_TOKENS = tuple(_tokens())
_TOKEN_NAMES = frozenset(pattern.name for pattern in _TOKENS)
_NUMBERS = tuple(_numbers())
_ADDRESSES = tuple(_url_password(name, schemes) for name, schemes in _SCHEMES.items())
_PHRASES = tuple(_phrases())
_NAMED = tuple(
    name.lower()
    for names in ("passwords", "passwords unspaced", "keys", "keys unspaced", "private keys", "seed phrases")
    for name in _names(names)
)
_ROOTS = (
    "pass", "pwd", "key", "token", "secret", "auth", "cookie", "credential", "bearer", "private", "wallet", "seed",
    "phrase", "mnemonic", "recovery", "-u ", "--user", "pin", "cvv", "cvc", "ssws",
    *(name for name in _NAMED if name.isascii()),
)  # fmt: skip
_WIDE_ROOTS = tuple(name for name in _NAMED if not name.isascii())
"""Without one of these no phrase can match."""


def _by_hint(patterns: Iterable[_Pattern]) -> tuple[tuple[str, _Pattern], ...]:
    return tuple((hint, pattern) for pattern in patterns for hint in pattern.hints)


_TOKEN_HINTS = _by_hint(_TOKENS)
_TOKENS_WITHOUT_HINTS = tuple(pattern for pattern in _TOKENS if not pattern.hints)
_ADDRESS_HINTS = _by_hint(_ADDRESSES)
_PHRASE_HINTS = _by_hint(_PHRASES)


# --- the search -------------------------------------------------------------------------------------

_UNNAMED = "high-entropy"
_RANK = {pattern.name: -at for at, pattern in enumerate(reversed((*_TOKENS, *_ADDRESSES, *_PHRASES, *_NUMBERS)))}
_MOST_PASSES = 4
_LONG = 20
_DIGITS = re.compile(r"\d[\d -]{8,}\d")
_ASCII_DIGITS = re.compile(r"[0-9][0-9 -]{8,}[0-9]")
_TRAILING = ".,;:?)]}>*。，、；！？）』"


def _found(text: str) -> list[Secret]:
    """Every secret in `text`, in order and apart from each other."""
    if _is_harmless(text):
        return []
    lowered = text.lower()
    is_ascii = lowered.isascii()
    # Tokens are ASCII: what is left of other scripts without it has no long words.
    words = (lowered if is_ascii else lowered.encode("ascii", "ignore").decode()).split()
    has_digits = _has_digits(text)
    long = [word for word in words if len(word) >= _LONG] if len(max(words, key=len, default="")) >= _LONG else []
    has_roots = _has_any(_ROOTS, lowered) or (not is_ascii and _has_any(_WIDE_ROOTS, lowered))
    due = _due(lowered, long, has_roots=has_roots, has_digits=has_digits)
    if is_ascii and not (long or has_roots or due):
        _harmless.learn(words)
    found = [secret for pattern in due for secret in _matches(pattern, text)]
    if long:
        found.extend(_unnamed(text))
    if not found:
        return []
    marked = [marker.span() for marker in re.finditer(r"\[redacted:[a-z0-9-]+\]", text)]
    return _apart(secret for secret in found if not _touches(secret, marked))


def _is_harmless(text: str) -> bool:
    """Whether `text` is known to have no secret by its words alone."""
    return text.isascii() and _harmless.issuperset(text.lower().split()) and not _has_digits(text)


def _has_digits(text: str) -> bool:
    """Whether there are as many digits in a row as a number of `_NUMBERS` has."""
    return (_ASCII_DIGITS if text.isascii() else _DIGITS).search(text) is not None


def _due(lowered: str, long: Sequence[str], *, has_roots: bool, has_digits: bool) -> list[_Pattern]:
    """The patterns that can match at all."""
    due: list[_Pattern] = []
    if long:
        # Tokens have no spaces within: the short words need no look.
        due += _hinted(_TOKEN_HINTS, f" {' '.join(long)} ")
        due += _TOKENS_WITHOUT_HINTS
    if "://" in lowered and "@" in lowered:
        due += _hinted(_ADDRESS_HINTS, lowered)
    if has_roots:
        due += _hinted(_PHRASE_HINTS, lowered)
    if has_digits:
        due += _NUMBERS
    return due


class _Harmless(set[str]):
    """Words, in lower case, that no pattern is due for, however they are put together. Most texts have no others.

    They are short, and hold neither a root nor an address nor the beginning of a root that has a space. Only words of
    texts in which nothing was looked for are learned: what may have been a secret is not kept.
    """

    def learn(self, words: Iterable[str]) -> None:
        if len(self) >= _MOST_HARMLESS:
            self.clear()
        self.update([word for word in words if "://" not in word and not word.endswith(_BEGINNINGS)])


_harmless = _Harmless()
_MOST_HARMLESS = 30_000
_BEGINNINGS = tuple({root.split(" ")[0] for root in _ROOTS if " " in root})
"""What a word ends with where a root goes on behind it."""


def _hinted(hints: Iterable[tuple[str, _Pattern]], lowered: str) -> Iterable[_Pattern]:
    # Once for every text and a hundred patterns: a comprehension is the cheapest way to ask.
    return dict.fromkeys([pattern for hint, pattern in hints if hint in lowered])


def _has_any(roots: Iterable[str], lowered: str) -> bool:
    for root in roots:  # noqa: SIM110 - a generator would take twice as long
        if root in lowered:
            return True
    return False


def _matches(pattern: _Pattern, text: str) -> Iterator[Secret]:
    shape = _compiled(pattern.shape)
    at = 0
    while found := shape.search(text, at):
        if pattern.holds is None or pattern.holds(found):
            start, end = _span(found)
            yield Secret(pattern.name, start, _glued(text, end) if pattern.name in _TOKEN_NAMES else end)
            at = max(found.end(), found.start() + 1)
        else:
            # Not this one; but what it took for its value may be the name of the next.
            at = found.start() + 1


@cache
def _compiled(shape: str) -> re.Pattern[str]:
    return re.compile(shape)


def _span(found: re.Match[str]) -> tuple[int, int]:
    """Where the secret stands in what was matched."""
    groups = found.re.groupindex
    for name in ("secret", "quoted"):
        if name in groups and found.start(name) >= 0:
            return found.span(name)
    if "bare" not in groups:
        return found.span()
    start, end = found.span("bare")
    return start, start + len(found.string[start:end].rstrip(_TRAILING))


def _glued(text: str, end: int) -> int:
    """Where the word ends that a secret stands in: its rest is no use without it."""
    rest = _compiled(r"[A-Za-z0-9_]*").match(text, end)
    return rest.end() if rest else end


def _unnamed(text: str) -> Iterator[Secret]:
    """Tokens that no pattern knows, and that look as only keys do."""
    for word in _compiled(r"(?<!\S)\S{24,}").finditer(text):
        if _compiled(r"(?i)[a-z][a-z0-9+.-]{1,20}://|www\.|base64,").search(word.group()):
            continue
        for token in _compiled(r"[A-Za-z0-9_+/-]{24,}={0,2}").finditer(text, word.start(), word.end()):
            if _is_unnamed_key(text, token):
                yield Secret(_UNNAMED, *token.span())


def _is_unnamed_key(text: str, token: re.Match[str]) -> bool:
    value = token.group()
    # Both cases and digits in more than one place: no hash, UUID or digest is written like that.
    mixed = _compiled(r"(?=.*[a-z])(?=.*[A-Z])(?:\D*\d+){2}")
    if len(value) > 200 or not mixed.match(value):
        return False
    parts = _compiled(r"[-_+/]").split(value)
    return (
        len(parts) * 8 <= len(value) + 8
        and mixed.match(max(parts, key=len)) is not None
        and sum(char.isalpha() for char in value) * 2 > len(value)
        and len(set(value)) * 2 > min(len(value), 32)
        and _is_random(value, 2.8)
        and not _compiled(r"(?i)AAAA[BCE]3NzaC|sha\d{3}-").match(value)
        and not _compiled(r"(?i)(?:sha\d{1,3}|md5)[-:=]$").search(text[max(token.start() - 8, 0) : token.start()])
        and not _is_of_many_lines(text, token)
    )


def _is_of_many_lines(text: str, token: re.Match[str]) -> bool:
    """Whether it is a line of encoded data, such as a certificate or a picture."""
    line = r"[A-Za-z0-9+/=_-]{40,}\s*"
    before = text.rfind("\n", 0, max(token.start() - 1, 0))
    above = text[max(text.rfind("\n", 0, max(before, 0)), token.start() - 300) + 1 : max(before, 0)]
    rest = text[token.end() : token.end() + 300].split("\n", 2)
    below = rest[1] if len(rest) > 1 else ""
    return any(_compiled(line).fullmatch(each.strip("> \t\r")) for each in (above, below))


def _touches(secret: Secret, marked: Sequence[tuple[int, int]]) -> bool:
    at = bisect_right(marked, secret.end, key=itemgetter(0)) - 1
    return at >= 0 and marked[at][0] < secret.end and marked[at][1] > secret.start


def _apart(found: Iterable[Secret]) -> list[Secret]:
    """Secrets in order; those that overlap are one, under the name that says most."""
    apart: list[Secret] = []
    for secret in sorted(found, key=attrgetter("start", "end")):
        if apart and secret.start < apart[-1].end:
            last = apart.pop()
            name = min(last.name, secret.name, key=lambda name: _RANK.get(name, 1))
            secret = Secret(name, last.start, max(last.end, secret.end))
        apart.append(secret)
    return apart


def _replaced(text: str, found: Iterable[Secret]) -> str:
    parts: list[str] = []
    at = 0
    for secret in found:
        parts += (text[at : secret.start], _mark(secret))
        at = secret.end
    return "".join([*parts, text[at:]])


def _back(found_again: Sequence[Secret], before: Sequence[Secret]) -> list[Secret]:
    """Where secrets found in a redacted text stood in the text before."""
    starts, shifts, shift = [], [0], 0
    for secret in before:
        starts.append(secret.start + shift)
        shift += len(_mark(secret)) - (secret.end - secret.start)
        shifts.append(shift)
    moved = [(secret, shifts[bisect_right(starts, secret.start)]) for secret in found_again]
    return [Secret(secret.name, secret.start - by, secret.end - by) for secret, by in moved]


def _mark(secret: Secret) -> str:
    """What stands in the place of a secret."""
    return f"{REDACTED}{secret.name}]"
