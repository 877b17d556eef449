"""Lists of Chinese words and patterns, by the names in `cortex.languages.lists`."""

from __future__ import annotations

LISTS = {
    "passwords unspaced": "密码|密碼|口令",
    "password is unspaced": "现在是|現在是|还是|還是|是|为|為|设为|設為|改成",
    "keys unspaced": "密钥|密鑰|令牌|私钥|私鑰|金鑰",
    "private keys": "私钥|私鑰",
    "seed phrases": "助记词|助記詞",
    "past the owner": "用户|用戶|使用者",
    "machines": "ai ?(?:助手|助理)|智能体|大模型|语言模型",
    "helpers": "助手|助理",
    "addresses unspaced": r"[致给給][^.!?。！？:：\n]{0,20}助手",
    "this project": r"(?:这个|本|该|我们的?|這個|我們的?)(?:项目|仓库|代码库|工程|模块|服务|分支|專案|項目|倉庫)",
    "after an unspaced name": (
        "是 的 了 在 说 說 和 与 與 跟 对 對 给 給 把 被 去 来 來 有 也 就 都 要 "
        "想 问 問 叫 让 讓 向 从 從 到 会 會 能 不 没 沒 很 住 喜 爱 愛 吃 看 写 "
        "寫 做 买 買 用 打 告 请 請 约 約 见 見 等"
    ),
    "before an unspaced name": (
        "和 与 與 跟 对 對 给 給 把 被 是 叫 问 問 让 讓 找 请 請 约 約 见 見 的 "
        "在 向 从 從 由 为 為 同 了 诉 訴 爱 愛 到"
    ),
    "states preference": "喜欢|偏好",
    "states decision": "决定",
    "states name": "叫做",
    "states fact": "是|有",
}
