"""Secrets never reach the store (E11). Every look-alike here is put together while the test runs."""

from __future__ import annotations

import random
import re
import string
from hashlib import sha1, sha256, sha512
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cortex.domain.secrets import pattern_names, redacted, without_secrets
from sweeps import for_each, sweep

# `{w36}` stands for 36 random characters of letters and digits; the other alphabets are these.
ALPHABETS = {
    "w": string.ascii_letters + string.digits,
    "h": "0123456789abcdef",
    "d": string.digits,
    "u": string.ascii_uppercase + string.digits,
    "l": string.ascii_lowercase + string.digits,
    "a": string.ascii_letters,
    "e": "023456789acdefghjklmnpqrstuvwxyz",
    "y": "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz",
}


def made(template: str, seed: int = 0) -> str:
    """A look-alike: the template with its gaps filled at random."""
    rng = random.Random(f"{template}{seed}")
    filled = re.sub(r"\{(\w)(\d+)\}", lambda gap: "".join(rng.choices(ALPHABETS[gap[1]], k=int(gap[2]))), template)
    return filled.replace("~uuid~", str(UUID(int=rng.getrandbits(128))))


TOKENS = {
    "aws-access-key": ["AKIA{u16}", "ASIA{u16}"],
    "aws-bedrock-key": ["ABSK{w110}"],
    "aws-mws-token": ["amzn.mws.~uuid~"],
    "gcp-api-key": ["AIza{w35}"],
    "gcp-access-token": ["ya29.{w60}"],
    "gcp-client-secret": ["GOCSPX-{w28}"],
    "gcp-refresh-token": ["1//0{w60}"],
    "firebase-key": ["{w20}:APA91{w134}"],
    "azure-client-secret": ["{w3}8Q~{w34}"],
    "azure-devops-token": ["{w76}AZDO{w4}"],
    "github-token": ["ghp_{w36}"],
    "github-oauth-token": ["gho_{w36}"],
    "github-user-token": ["ghu_{w36}"],
    "github-server-token": ["ghs_{w36}"],
    "github-refresh-token": ["ghr_{w76}"],
    "github-fine-grained-token": ["github_pat_{w22}_{w59}"],
    "gitlab-token": ["glpat-{w20}"],
    "gitlab-deploy-token": ["gldt-{w20}"],
    "gitlab-runner-token": ["glrt-{w20}"],
    "gitlab-job-token": ["glcbt-{w24}"],
    "gitlab-trigger-token": ["glptt-{h40}"],
    "gitlab-feed-token": ["glft-{w20}"],
    "gitlab-mail-token": ["glimt-{w25}"],
    "gitlab-agent-token": ["glagent-{w50}"],
    "gitlab-oauth-secret": ["gloas-{h64}"],
    "bitbucket-token": ["ATBB{w32}"],
    "atlassian-token": ["ATATT3{w180}={u8}"],
    "trello-token": ["ATTA{h64}"],
    "slack-token": ["xoxb-{d12}-{d12}-{w24}", "xoxp-{d11}-{d11}-{h32}"],
    "slack-config-token": ["xoxe.xoxp-1-{w80}"],
    "slack-app-token": ["xapp-1-{u11}-{d13}-{h64}"],
    "discord-token": ["M{w25}.{w6}.{w38}"],
    "telegram-token": ["{d10}:AA{w33}"],
    "stripe-secret-key": ["sk_live_{w24}", "sk_test_{w99}"],
    "stripe-restricted-key": ["rk_live_{w24}"],
    "stripe-webhook-secret": ["whsec_{w32}"],
    "twilio-key": ["SK{h32}"],
    "sendgrid-key": ["SG.{w22}.{w43}"],
    "mailgun-key": ["key-{h32}"],
    "mailchimp-key": ["{h32}-us12"],
    "brevo-key": ["xkeysib-{h64}-{w16}"],
    "resend-key": ["re_{w8}_{w24}"],
    "openai-key": ["sk-proj-{w80}", "sk-{w20}T3BlbkFJ{w20}", "sk-svcacct-{w80}"],
    "anthropic-key": ["sk-ant-api03-{w90}AA"],
    "openrouter-key": ["sk-or-v1-{h64}"],
    "model-provider-key": ["sk-{w48}"],
    "elevenlabs-key": ["sk_{h48}"],
    "huggingface-token": ["hf_{a34}"],
    "replicate-token": ["r8_{w37}"],
    "groq-key": ["gsk_{w52}"],
    "perplexity-key": ["pplx-{w48}"],
    "xai-key": ["xai-{w80}"],
    "nvidia-key": ["nvapi-{w64}"],
    "fireworks-key": ["fw_{w24}"],
    "langsmith-key": ["lsv2_pt_{h32}_{h10}"],
    "langfuse-key": ["sk-lf-~uuid~"],
    "pinecone-key": ["pcsk_{w5}_{w60}"],
    "tavily-key": ["tvly-dev-{w32}"],
    "jina-key": ["jina_{w60}"],
    "voyage-key": ["pa-{w43}"],
    "npm-token": ["npm_{w36}"],
    "pypi-token": ["pypi-AgE{w150}"],
    "rubygems-key": ["rubygems_{h48}"],
    "crates-token": ["cio{w32}"],
    "nuget-key": ["oy2{l43}"],
    "clojars-token": ["CLOJARS_{l60}"],
    "docker-token": ["dckr_pat_{w27}"],
    "heroku-key": ["HRKU-{w60}"],
    "digitalocean-token": ["dop_v1_{h64}"],
    "cloudflare-origin-key": ["v1.0-{h24}-{h146}"],
    "fly-token": ["fo1_{w43}"],
    "netlify-token": ["nfp_{w40}"],
    "vercel-token": ["vcp_{w56}"],
    "render-key": ["rnd_{w32}"],
    "supabase-key": ["sbp_{h40}", "sb_secret_{w31}"],
    "planetscale-token": ["pscale_tkn_{w43}"],
    "neon-key": ["napi_{w64}"],
    "shopify-token": ["shpat_{h32}", "shpss_{h32}"],
    "square-token": ["sq0atp-{w22}", "sq0csp-{w43}"],
    "square-access-token": ["EAAAl{w59}"],
    "braintree-token": ["access_token$production${l16}${h32}"],
    "facebook-token": ["EAAC{w120}"],
    "instagram-token": ["IGQV{w120}"],
    "twitter-bearer-token": ["AAAAAAAAAAAAAAAAAAAAAA{w80}"],
    "plaid-token": ["access-production-~uuid~"],
    "flutterwave-key": ["FLWSECK-{l32}-X"],
    "razorpay-webhook-secret": ["rzp_live_{w14}:{w24}"],
    "shippo-token": ["shippo_live_{h40}"],
    "easypost-key": ["EZAK{w54}"],
    "duffel-token": ["duffel_live_{w43}"],
    "databricks-token": ["dapi{h32}"],
    "newrelic-key": ["NRAK-{u27}"],
    "sentry-token": ["sntrys_{w80}"],
    "grafana-token": ["glsa_{w32}_{h8}", "glc_{w60}"],
    "honeycomb-key": ["hcaik_{l58}"],
    "dynatrace-token": ["dt0c01.{u24}.{u64}"],
    "sonar-token": ["sqp_{h40}"],
    "posthog-key": ["phx_{w43}"],
    "launchdarkly-key": ["sdk-~uuid~"],
    "vault-service-token": ["hvs.{w90}"],
    "terraform-token": ["{w14}.atlasv1.{w67}"],
    "doppler-token": ["dp.pt.{w43}"],
    "pulumi-token": ["pul-{h40}"],
    "onepassword-token": ["ops_eyJ{w200}"],
    "onepassword-secret-key": ["A3-{u6}-{u6}-{u5}-{u5}-{u5}-{u5}"],
    "infracost-key": ["ico-{w32}"],
    "linear-key": ["lin_api_{w40}"],
    "notion-token": ["secret_{w43}", "ntn_{w46}"],
    "airtable-token": ["pat{w14}.{h64}"],
    "figma-token": ["figd_{w40}"],
    "postman-key": ["PMAK-{h24}-{h34}"],
    "clickup-token": ["pk_{d8}_{u32}"],
    "dropbox-token": ["sl.{w140}"],
    "mapbox-token": ["sk.eyJ{w80}.{w22}"],
    "contentful-token": ["CFPAT-{w43}"],
    "typeform-token": ["tfp_{w44}"],
    "readme-key": ["rdme_{l70}"],
    "prefect-key": ["pnu_{l36}"],
    "frameio-token": ["fio-u-{w64}"],
    "buildkite-token": ["bkua_{h40}"],
    "circleci-token": ["CCIPAT_{w22}_{h40}"],
    "artifactory-key": ["AKCp{w69}"],
    "artifactory-token": ["cmVmdGtu{w56}"],
    "adafruit-key": ["aio_{w28}"],
    "alibaba-key": ["LTAI{w20}"],
    "tencent-key": ["AKID{w32}"],
    "yandex-key": ["AQVN{w36}"],
    "tailscale-key": ["tskey-auth-{w12}-{w32}"],
    "age-secret-key": ["AGE-SECRET-KEY-1{u58}"],
    "nostr-secret-key": ["nsec1{e58}"],
    "wallet-extended-key": ["xprv{y107}"],
    "jwt": ["eyJ{w20}.eyJ{w60}.{w43}"],
    "jwe": ["eyJ{w30}..{w16}.{w80}.{w22}"],
}

# What a pattern knows by the words beside it: the secret stands between ⟦ and ⟧.
PHRASES = {
    "azure-storage-key": ["DefaultEndpointsProtocol=https;AccountName=x;AccountKey=⟦{w86}==⟧;"],
    "azure-shared-key": ["Endpoint=sb://x/;SharedAccessKeyName=n;SharedAccessKey=⟦{w43}=⟧"],
    "azure-sas": ["https://x.blob.core.windows.net/c?sv=2024&sig=⟦{w43}%3D⟧"],
    "slack-webhook": ["https://hooks.slack.com/services/⟦T{u8}/B{u10}/{w24}⟧"],
    "discord-webhook": ["https://discord.com/api/webhooks/⟦{d18}/{w68}⟧"],
    "teams-webhook": ["https://contoso.webhook.office.com/⟦webhookb2/~uuid~@~uuid~/IncomingWebhook/{h32}⟧"],
    "zapier-webhook": ["https://hooks.zapier.com/hooks/catch/⟦{d7}/{l7}⟧"],
    "npm-auth-token": ["//registry.npmjs.org/:_authToken=⟦{w40}⟧"],
    "sentry-dsn": ["SENTRY_DSN https://⟦{h32}⟧@o1.ingest.sentry.io/42"],
    "okta-token": ["SSWS ⟦{w42}⟧"],
    "vault-token": ["the root token ⟦s.{w24}⟧"],
    "postgres-password": ["postgres://app:⟦{w12}⟧@db.internal:5432/app", "postgresql+asyncpg://u:⟦p@{w8}⟧@h/d"],
    "mysql-password": ["mysql://root:⟦{w9}⟧@localhost/shop"],
    "mongodb-password": ["mongodb+srv://u:⟦{w14}⟧@c0.mongodb.net/?w=1"],
    "redis-password": ["redis://:⟦{w16}⟧@cache:6379/0"],
    "amqp-password": ["amqps://guest:⟦{w10}⟧@mq/vhost"],
    "mail-password": ["smtp://me:⟦{w10}⟧@mail.example.org:587"],
    "ftp-password": ["sftp://deploy:⟦{w10}⟧@files.example.org/in"],
    "basic-auth-url": ["curl https://me:⟦{w12}⟧@git.example.org/x.git"],
    "database-password": ["clickhouse://default:⟦{w12}⟧@ch:9000"],
    "authorization-header": ["Authorization: Basic ⟦{w28}==⟧", '"authorization": "Bearer ⟦{w40}⟧"'],
    "bearer-token": ["send it with bearer ⟦{w40}⟧ please"],
    "auth-header": ["-H 'X-Api-Key: ⟦{w32}⟧'", "PRIVATE-TOKEN: ⟦{w20}⟧"],
    "cookie": ["Cookie: ⟦session={w40}; theme=dark⟧", "Set-Cookie: ⟦sid={w20}; Path=/; HttpOnly⟧"],
    "aws-secret-key": ["aws_secret_access_key = ⟦{w40}⟧", '"SecretAccessKey": "⟦{w20}/{w19}⟧"'],
    "aws-session-token": ["aws_session_token=⟦{w300}⟧"],
    "hex-key": ["DATADOG API key: ⟦{h32}⟧", "CF_API_TOKEN: ⟦{w40}⟧", "twilio auth token: ⟦{h32}⟧"],
    "crypto-private-key": ["my wallet's private key is ⟦0x{h64}⟧", "私钥：⟦{h64}⟧"],
    "query-secret": ["GET https://api.example.org/v1?user=7&access_token=⟦{w32}⟧&page=2"],
    "command-line-password": [
        "mysqldump --password=⟦{w12}⟧ shop",
        "curl -u me:⟦{w12}⟧ https://x.org",
        "curl --user me:⟦{w12}⟧ https://x.org",
    ],
    "password-element": ["<user>bo</user><password>⟦{w12}⟧</password>"],
    "environment-secret": ["PORT=80\nexport APP_SIGNING_KEY=⟦{w32}⟧\nDEBUG=1", "\nSTRIPE_SECRET='⟦{w24}⟧'"],
    "pin": ["my pin is ⟦{d4}⟧", "CVV: ⟦{d3}⟧"],
    "us-ssn": ["my SSN is ⟦512-4{d1}-678{d1}⟧"],
    "high-entropy": ["put this into the box: ⟦{w44}⟧ and press go", "`⟦q7Rx{w30}Zk9⟧`"],
}
CASES = [(name, f"⟦{each}⟧") for name, templates in TOKENS.items() for each in templates] + [
    (name, each) for name, templates in PHRASES.items() for each in templates
]


@for_each(("name", "template"), CASES)
def test_a_secret_becomes_its_name_and_the_rest_is_kept(name: str, template: str):
    """E11"""
    before, secret, after = re.split("[⟦⟧]", made(template))
    text = f"Here you go — {before}{secret}{after}\nand buy milk 🥛"
    result = redacted(text)
    assert result.text == f"Here you go — {before}[redacted:{name}]{after}\nand buy milk 🥛"
    assert [text[found.start : found.end] for found in result.found] == [secret]


SEED = "river magnet cousin velvet orbit lantern stable puzzle coyote anchor timber galaxy"


@for_each(("name", "template"), [*CASES, ("seed-phrase", f"Recovery phrase: ⟦{SEED}⟧")])
def test_a_secret_is_found_however_often_its_words_were_met_alone(name: str, template: str):
    """E11"""
    before, secret, after = re.split("[⟦⟧]", made(template, 1))
    words = [*before.split(), *secret.split(), *after.split()]
    for text in (*words, *(f"{word}\n" for word in words), " ".join(reversed(words))):
        redacted(text)
    assert redacted(before + secret + after).text == f"{before}[redacted:{name}]{after}"


@pytest.mark.parametrize("name", [name for name in TOKENS if name not in {"jwt", "jwe"}])
@settings(max_examples=settings().max_examples // 5)  # for each of more than a hundred tokens
@given(seed=st.integers(0, 50))
def test_a_token_is_found_wherever_it_stands(name: str, seed: int):
    """E11: in quotes, in JSON, after CJK, at either end"""
    secret = made(TOKENS[name][0], seed)
    for text in (secret, f'{{"k":"{secret}"}}', f"密钥是{secret}。", f"`{secret}`", f"({secret})", f"a,{secret},b"):
        assert secret not in redacted(text).text


def test_there_are_well_over_forty_names():
    """E11"""
    assert len(pattern_names()) > 150
    assert all(re.fullmatch(r"[a-z0-9-]+", name) for name in pattern_names())


def test_every_name_is_met_in_these_tests():
    """E11: a pattern without an example may be one that never matches"""
    others = {
        "private-key",
        "putty-key",
        "seed-phrase",
        "password",
        "secret",
        "credit-card",
        "iban",
        "bitcoin-private-key",
    }
    assert pattern_names() == {*TOKENS, *PHRASES, *others}


# --- keys of several lines ------------------------------------------------------------------------


def pem(kind: str, lines: int = 5) -> str:
    body = "\n".join(made("{w64}", seed) for seed in range(lines))
    return f"-----BEGIN {kind}-----\n{body}\n-----END {kind}-----"


@pytest.mark.parametrize(
    "kind", ["RSA PRIVATE KEY", "PRIVATE KEY", "OPENSSH PRIVATE KEY", "EC PRIVATE KEY", "PGP PRIVATE KEY BLOCK"]
)
def test_a_private_key_is_redacted_with_all_its_lines(kind: str):
    """E11"""
    assert redacted(f"see\n{pem(kind)}\nthere").text == "see\n[redacted:private-key]\nthere"


def test_a_private_key_in_json_is_redacted():
    """E11: line breaks written as two characters"""
    text = '{"k": "' + pem("PRIVATE KEY").replace("\n", "\\n") + '\\n", "id": 7}'
    assert redacted(text).text == '{"k": "[redacted:private-key]\\n", "id": 7}'


def test_a_private_key_that_is_cut_off_is_redacted_and_what_follows_is_kept():
    """E11"""
    cut = pem("RSA PRIVATE KEY").rpartition("-----END")[0].rstrip()
    assert redacted(f"{cut}\n\nWhy does it fail?").text == "[redacted:private-key]\n\nWhy does it fail?"


def test_headers_inside_a_private_key_do_not_end_it():
    """E11"""
    key = pem("RSA PRIVATE KEY").replace("KEY-----\n", "KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC\n\n", 1)
    assert redacted(key).text == "[redacted:private-key]"


def test_a_putty_key_is_redacted():
    """E11"""
    lines = "\n".join(made("{w64}", seed) for seed in range(3))
    assert redacted(f"Private-Lines: 3\n{lines}\nPrivate-MAC: 00").text == (
        "Private-Lines: 3[redacted:putty-key]\nPrivate-MAC: 00"
    )


@pytest.mark.parametrize("kind", ["CERTIFICATE", "PUBLIC KEY", "PGP PUBLIC KEY BLOCK"])
def test_what_is_public_stays(kind: str):
    assert redacted(pem(kind)).found == ()


# --- passwords in many languages ------------------------------------------------------------------


@for_each(
    "text",
    [
        "password = ⟦{w10}⟧",
        "Password: ⟦{w8}!⟧",
        "my wifi password is ⟦hunter{d2}⟧, by the way",
        "the password for the staging box is ⟦{l5}{d3}⟧.",
        "db_password: '⟦{w12}⟧'",
        '{"user": "bo", "password": "⟦swordfish⟧"}',
        "password: ⟦swordfish⟧",
        "PGPASSWORD=⟦{w12}⟧ psql",
        "passwd=⟦{w9}⟧",
        "pwd: ⟦{w9}⟧",
        "**Password:** ⟦{w6}#{d2}⟧",
        "passphrase: \"⟦{w8}-{w8}⟧\"",
        "Passwort: ⟦{w9}⟧",
        "Das Passwort lautet ⟦{a5}{d3}⟧",
        "Mein Kennwort ist ⟦{a5}{d3}⟧",
        "contraseña: ⟦{w9}⟧",
        "la contraseña del wifi es ⟦{a5}{d3}⟧",
        "密码：⟦{w9}⟧",
        "密码是⟦{w9}⟧",
        "我的WiFi密码是⟦{a4}{d4}⟧，别忘了",
        "密碼為 ⟦{w9}⟧",
        "パスワード：⟦{w9}⟧",
        "パスワードは⟦{a4}{d4}⟧です",
        "비밀번호는 ⟦{a4}{d4}⟧",
        "mot de passe : ⟦{w9}⟧",
        "пароль: ⟦{w9}⟧",
        "password: ⟦12345678⟧",
    ],
)  # fmt: skip
def test_a_password_is_redacted_in_every_language(text: str):
    """E11"""
    before, secret, after = re.split("[⟦⟧]", made(text))
    assert redacted(before + secret + after).text == f"{before}[redacted:password]{after}"


@pytest.mark.parametrize(
    "text",
    [
        "api_key = '⟦{w24}⟧'",
        "my api key is ⟦{w24}⟧",
        '"clientSecret": "⟦{w30}⟧"',
        "token: ⟦{h40}⟧",
        "secret=⟦{l26}⟧",
        "API-Schlüssel: ⟦{w24}⟧",
        "密钥：⟦{w24}⟧",
        "トークンは⟦{w24}⟧",
        "refresh_token => \"⟦{w30}⟧\"",
    ],
)  # fmt: skip
def test_what_is_called_a_key_is_redacted_without_a_shape_of_its_own(text: str):
    """E11"""
    before, secret, after = re.split("[⟦⟧]", made(text))
    assert redacted(before + secret + after).text == f"{before}[redacted:secret]{after}"


# --- numbers with a check -------------------------------------------------------------------------


def luhn(digits: str) -> str:
    """`digits` with the check digit that makes them a card number."""
    total = sum(
        (value := int(digit) * (2 - at % 2)) - (9 if value > 9 else 0) for at, digit in enumerate(reversed(digits))
    )
    return digits + str(-total % 10)


@given(st.sampled_from(["4", "51", "2221", "6011", "3530"]), st.integers(0, 10**15 - 1))
def test_a_card_number_is_redacted_only_with_its_right_check_digit(prefix: str, rest: int):
    """E11"""
    card = luhn((prefix + f"{rest:015}")[:15])
    if len(set(card)) < 3:
        return
    grouped = " ".join(card[at : at + 4] for at in range(0, 16, 4))
    wrong = card[:-1] + str((int(card[-1]) + 1) % 10)
    assert redacted(f"pay with {card}.").text == "pay with [redacted:credit-card]."
    assert redacted(f"pay with {grouped} now").text == "pay with [redacted:credit-card] now"
    assert redacted(f"order {wrong} came").found == ()


def test_an_amex_number_is_redacted():
    card = luhn("37" + "828224631000")
    assert redacted(f"{card[:4]} {card[4:10]} {card[10:]}").text == "[redacted:credit-card]"


def iban(country: str, account: str) -> str:
    number = "".join(str(int(char, 36)) for char in f"{account}{country}00")
    return f"{country}{98 - int(number) % 97:02}{account}"


@pytest.mark.parametrize(
    ("country", "account"),
    [("DE", "370400440532013000"), ("GB", "NWBK60161331926819"), ("FR", "20041010050500013M02606")],
)
def test_an_iban_is_redacted_only_with_its_right_checksum(country: str, account: str):
    """E11"""
    whole = iban(country, account)
    spaced = " ".join(whole[at : at + 4] for at in range(0, len(whole), 4))
    assert redacted(f"to {whole}, please").text == "to [redacted:iban], please"
    assert redacted(f"to {spaced}, please").text == "to [redacted:iban], please"
    assert redacted(f"to {country}{(int(whole[2:4]) + 1) % 97:02}{account}").found == ()


def test_a_bitcoin_key_is_redacted_only_with_its_right_checksum():
    """E11"""
    body = b"\x80" + bytes(range(32)) + b"\x01"
    number = int.from_bytes(body + sha256(sha256(body).digest()).digest()[:4], "big")
    key = ""
    while number:
        number, rest = divmod(number, 58)
        key = ALPHABETS["y"][rest] + key
    assert redacted(f"import {key} now").text == "import [redacted:bitcoin-private-key] now"


@pytest.mark.parametrize("cue", ["my seed phrase is ", "Recovery phrase: ", "mnemonic: ", "助记词：", "seed words: "])
@pytest.mark.parametrize("count", [12, 24])
def test_a_seed_phrase_is_redacted_after_its_cue(cue: str, count: int):
    """E11"""
    words = " ".join((SEED.split() * 2)[:count])
    assert redacted(f"{cue}{words}").text == f"{cue}[redacted:seed-phrase]"
    assert redacted(f"I see a {words}").found == ()


# --- what is not a secret -------------------------------------------------------------------------

HONEST = [
    "the password is stored in the vault",
    "my token ring network",
    "I forgot my password again, can you help?",
    "The password must be at least 12 characters long",
    "the password is 256-bit encrypted and base64-encoded",
    "password is sha256 hashed",
    "Password: required",
    "password: string",
    "password: str = Form(...)",
    "password = getpass.getpass()",
    "password=os.environ['DB_PASSWORD']",
    "self.password = hashed_password",
    "password=${DB_PASSWORD}",
    "api_key = 'YOUR_API_KEY_HERE'",
    "api_key = settings.openai_api_key",
    "token = get_token(user_id)",
    "postgres://user:password@localhost/db",
    "postgres://user:<password>@host/db",
    "max_tokens=4096, tokens: 128000",
    "The secret to good bread is time: 18 hours at 4 degrees",
    "The key is in the drawer. Key: C# minor",
    "la clave es la paciencia",
    "das Passwort ist abgelaufen",
    "密码是存在保险库里的",
    "パスワードは金庫にあります",
    "我忘记密码了，怎么办？",
    "Cookie: a recipe with oats and raisins",
    "He was the bearer of extraordinarily disappointing news",
    "my seed phrase is something that nobody but the people in this house will ever read or hear about",
    "I planted the seed: tomatoes and beans grow well with other plants over there near the fence",
    "pin it to the board; GPIO pin: 12",
    "call me on +49 30 1234567 or (555) 123-4567",
    "order 1234-5678-9012 arrives 2026-03-15 10:30",
    "192.168.100.200 and 10.0.0.1:8080, version 12.4.1.2024",
    "docker run -u 1000:1000 image",
    "visit https://docs.example.org/guide/AbCdEf123456GhIjKl7890MnOp?page=2#part-3",
    "https://www.youtube.com/watch?v=dQw4w9WgXcQ&list=PLx0sYbCqOb8TBPRdmBHs5Iftvv9TPboYG",
    "src/cortex/domain/secrets.py:120 and C:\\Users\\Bo\\AppData\\Local\\Programs\\Python311\\Scripts",
    "AbstractSingletonProxyFactoryBean2 extends BeanFactoryPostProcessorV3",
    "getUserProfileByIdAndOrganisation2ForTenant3WithRetry",
    "MAX_RETRY_COUNT_FOR_UPLOADS_V2_INTERNAL",
    "feature/JIRA-1234-add-OAuth2-login-for-iOS17-users",
    "Meta-Llama-3-8B-Instruct-GPTQ-4bit-128g-actorder_True",
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJx7f3kQz9bYw2vT8m4N6pLr1sHc5dGe0oUiKaXtBnVq bo@laptop",
    "部署密钥什么时候轮换？请告诉我具体的时间和负责的人，以及我们上次讨论的那个端口号是多少。",
    "pass it with --password options",
    "models: SomeOne/recent-models-64f9a55bb3115b4f513ec026 and others",
    "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft",
]  # fmt: skip


@for_each("text", HONEST)
def test_honest_text_stays_as_it_is(text: str):
    """E11: "the password is stored in the vault" is worth remembering"""
    assert redacted(text).text == text


@given(st.binary(min_size=1, max_size=40), st.uuids())
def test_hashes_and_uuids_are_not_secrets(data: bytes, uuid: UUID):
    """E11: git hashes, digests, UUIDs"""
    for digest in (sha1(data).hexdigest(), sha256(data).hexdigest(), sha512(data).hexdigest(), str(uuid), uuid.hex):
        for text in (f"commit {digest}", f"sha256:{digest}", f"id={digest.upper()}", f"0x{digest}"):
            assert redacted(text).found == ()


@given(st.text(alphabet="的一是不了人我在有他这为之大来以个中上们 ，。、ひらがなカタカナ한국어", max_size=300))
def test_cjk_text_is_not_a_secret(text: str):
    """E11"""
    assert redacted(text).found == ()


def test_lines_of_encoded_data_are_not_secrets():
    """E11: a picture pasted into a message"""
    data = "\n".join(made("{w76}", seed) for seed in range(6))
    assert redacted(f"look:\n{data}\n").found == ()
    assert redacted(made("{w5000}")).found == ()


# --- properties -----------------------------------------------------------------------------------

PIECES = st.sampled_from(
    [made(template.strip("⟦⟧").replace("⟦", "").replace("⟧", ""), seed) for _, template in CASES for seed in (1, 2)]
    + [
        "password: ",
        "token=",
        " ",
        "\n",
        "",
        '"',
        "=",
        ":",
        ", ",
        "[redacted:jwt]",
        "]",
        "Bearer ",
        "is ",
        "-----",
        "密码",
    ]
)


@given(st.lists(PIECES, max_size=6).map("".join))
def test_redacting_twice_changes_nothing(text: str):
    """E11: whatever stands glued to whatever"""
    once = redacted(text)
    assert redacted(once.text).text == once.text


@given(st.lists(PIECES | st.text(max_size=20), max_size=6).map("".join))
def test_what_is_not_redacted_is_verbatim(text: str):
    """E11: the spans told are exactly what was replaced"""
    result = redacted(text)
    parts, at = [], 0
    for found in result.found:
        assert at <= found.start < found.end <= len(text)
        parts += [text[at : found.start], f"[redacted:{found.name}]"]
        at = found.end
    assert "".join([*parts, text[at:]]) == result.text


@given(st.text(max_size=500))
def test_any_text_is_taken(text: str):
    """E11"""
    assert isinstance(redacted(text).text, str)


@pytest.mark.parametrize(
    "piece",
    sweep(
        ["password=", "secret: token: ", "eyJ", "eyJaaaaaaaaa.", "-----BEGIN PRIVATE KEY-----", "http://u:p@@@", "4 ",
         "aA1", "seed phrase: apple ", "cookie: a=bbbbbbbbb;", "DE89 3704 ", "\n", "-", "password for a ", "ghp_",
         "[redacted:x]", "my password is 1234 "],
        default=["secret: token: ", "http://u:p@@@", "4 "],
    ),
)  # fmt: skip
def test_no_input_is_slow(piece: str):
    """E11: bounded patterns; one that backtracks without bound would not come back from this"""
    text = piece * (100_000 // len(piece))
    assert len(redacted(text).text) > 0


@given(st.lists(PIECES | st.text(max_size=20), max_size=6).map("".join))
def test_a_text_without_its_secrets_is_the_same_whether_its_words_are_known_or_not(text: str):
    """E11"""
    assert without_secrets(text) == redacted(text).text == without_secrets(text)
