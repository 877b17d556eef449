"""Lists of Japanese words and patterns, by the names in `cortex.languages.lists`."""

from __future__ import annotations

LISTS = {
    "passwords unspaced": "パスワード|暗証番号",
    "password is unspaced": "は|が",
    "keys unspaced": "トークン|シークレット|秘密鍵|APIキー|apiキー",
    "private keys": "秘密鍵",
    "seed phrases": "シードフレーズ",
    "past the owner": "ユーザー",
    "machines": "ai ?(?:アシスタント|エージェント)|言語モデル|アシスタント|エージェント",
    "addressed by particle": "へ|宛|向け",
    "this project": r"(?:この|うちの)(?:プロジェクト|リポジトリ|コードベース|パッケージ|モジュール|サービス)",
    "after an unspaced name": "氏 様 君 殿 先 さ",
    "states preference": "好き|嫌い",
    "states decision": "決め",
    "states name": "名前は",
    "states fact": "です|ます",
}
