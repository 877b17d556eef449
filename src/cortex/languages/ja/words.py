"""Japanese: its words."""

from __future__ import annotations

from cortex.languages.words import Questions, RelationWords, Similarity, Words, phrase

WORDS = Words(
    lang="ja",
    order=10,
    spaced=False,
    letters="[\u3040-\u30ff\u3400-\u9fff]",
    small_talk="""
    はい うん ええ いいえ 了解 了解です わかった わかりました ありがとう ありがとうございます どうも おはよう
    こんにちは こんばんは
    """,
    changed="(?:に|へ|まで|と|が|も)(?:変更|延期|変わ|なりまし|なった|なって|延び|増え|減っ|減り|上が|下が|移っ|移り"
    "|切り替|決ま|変え|動い|移転|超え|突破|達し|届き|切り)"
    "|になりまし|になった|今は|現在|もう[^。]{1,20}(?:ない|ません|て)|やめ(?:まし|た|て)|辞め|じゃなくなっ|切って",
    corrected="訂正|正しくは|間違いで|間違え",
    takes_back="いいえ",
    manner="日本語|敬語|タメ口|短く|簡潔|絵文字|丁寧|呼んで|箇条書き",
    conditions=(
        r"^(?P<about>[^、。]{1,30}?)(?:について|のこと)?(?:を|が)?(?:聞い|"
        r"尋ね|話し|頼ん)(?:た|だ)(?:とき|時|ら)(?:は|には)?",
    ),
    kinds={
        "rule.lasting": "これから(?:は|も)|今後は",
        "rule.strong": "必ず|絶対に|毎回|常に|ないで(?:ください|ね)|てください",
        "rule.weak": "ルール",
        "procedure.steps": "手順|やり方",
        "procedure.order": "まず.{1,500}(?:次に|それから|その後)",
        "preference.states": "好き|嫌い|苦手|好み",
        "decision.taken": "ことにしました|ことにした|に決め|に決ま",
        "decision.switched": "採用|切り替え|統一",
        "entity.called": "の名前は|という名前",
        "episode.when": "昨日|先週|先月",
        "episode.verbs": "行きました|行った|会いました|でした",
        "fact.about": "住んで|働いて|誕生日|アレルギー",
        "fact.is": "です|ます|だ(?:よ)?$",
    },
    reporting_pattern="ユーザー|ユーザ",
    injection=(
        phrase(
            "override", 1.0,
            r"(?:以前|これまで|前|上記|すべて|全て|全部|システム)の?[^。！？\n]{0,8}(?:指示|命令|ルール|プロンプト|"
            r"指令)[^。！？\n]{0,4}(?:無視|忘れ|破棄)",
        ),
        phrase("override", 0.3, "開発者モード|システムプロンプト|あなたは今から"),
        phrase(
            "order", 0.5,
            "これから|以降は|今後|以後|必ず|常に|たびに|聞かれたら|尋ねられたら",
            "回答|答え|返信|勧め|推奨|薦め|してください|しなさい|せよ",
        ),
        phrase(
            "concealment", 0.5,
            r"(?:ユーザー?|利用者|誰)に(?:は|も)?[^。\n]{0,8}(?:言わない|伝えない|知らせない|教えない|言うな)",
        ),
        phrase("authority", 0.5, "管理者(?:の指示|が要求)"),
    ),
    similarity=Similarity(
        never="ことが(?:ない|ありません)|ことはありません|一度も",
        ended=r"もう\w{0,40}ない|もう\w{0,40}ません",
        denied="ない|なく|ません",
        opposites=(("嫌い", "嫌い", "好きでない"),),
        answers="いいえ",
        units={"¥": "円"},
        persons={"first": "私 僕 俺", "he": "彼"},
        limit_patterns={"perhaps": "かも", "only": "だけ|しか", "if": "もし"},
        filling="実は|今は|とても|本当に|すごく|です|ます|だよ",
        fillers="はが",
        preference="より",
    ),
    questions=Questions(
        earlier="以前|最初|元々",
        several="変化|履歴|合計",
        number="いくつ|何(?:人|個|回|本|件|時間)",
        date="何時|いつ",
        name="誰|どこ",
        fact="何|ですか",
        rules="ルール|規則|指示",
        recommendation="おすすめ|お勧め",
        polar="[^?？]{0,60}(?:(?<!くれ)(?<!もらえ)(?<!いただけ)ま(?:す|せん|した)か|ですか|でしょうか)",
        oneself="[私僕俺]",
        refers="それ|これ|あれ|そこ|彼",
        unanswered="(?:わかり|分かり|知り)ません(?:でした)?(?!か)|(?:わから|分から|知ら)ない(?:です)?[。！!]*$|情報[がは](?:ありません|ない)",
        units={"clock": "時", "money": "円", "duration": "時間", "date": "月 日"},
    ),
    relations=RelationWords(
        several="妹 姉 兄 弟 息子 娘 子供 友達 友人 同僚 隣人 犬 猫",
    ),
)  # fmt: skip
