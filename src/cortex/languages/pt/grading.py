"""By which words Portuguese shows how much a memory matters."""

GRADING = {
    "rule": r"\b(?:a partir de agora|de agora em diante|sempre|nunca|jamais|proibido|obrigatório|regra|política|não "
    r"(?:use|envie|escreva|faça))\b|^\W*(?:por favor,?\s+)?(?:use|escreva|responda|evite)\b",
    "preference": r"\b(?:prefir[oa]|prefere|preferid[oa]|favorit[oa]|gosto|adoro|odeio|detesto)\b",
    "constraint": r"\b(?:al[ée]rgi\w+|intoler\w+|celíac[oa]|diabet\w+|epilep\w+|grávida|vegan[oa]|vegetarian[oa]|não "
    r"(?:posso|como|bebo))\b",
    "asked": r"\b(?:lembr[ae](?:-se|-te)?|não (?:se )?esque\w+|anot[ae]|guarde|tenha em mente|tome nota)\b",
    "decision": r"\b(?:decidi|decidimos|decidido|escolhemos|optamos|combinamos|decisão)\b",
    "procedure": r"\b(?:os passos|procedimento|receita)\b|\bprimeiro\b.{1,200}\b(?:depois|em seguida)\b|"
    r"^\W*para\s+\w+.{0,60}[,:]\s*\S",
    "task": r"\b(?:pendente|tenho (?:de|que)|temos (?:de|que)|falta|vence|prazo|até o fim|antes de)\b",
    "incident": r"\b(?:incidente|falhou|caiu|avaria|quebrou|perdeu-se|erro)\b",
    "cause": r"\b(?:porque|devido a|causa|por causa|resolvido|consertado|corrigido)\b",
    "acknowledgement": r"^\W*(?:(?:ok|obrigad[oa]|perfeito|ótimo|certo|entendi|sim|não|claro|bem|oi|olá|bom dia|de "
    r"nada|era isso|mesmo|isso)\b[\s,.!]*)+$",
    "secret": r"\b(?:senha|pin|código de (?:verificação|segurança|acesso))\b.{0,20}\d",
    "progress": r"\b(?:processando|em andamento|quase (?:pronto|terminado)|por enquanto|baixando|trabalhando em|pela "
    r"metade)\b",
    "appointment": r"\b(?:consulta|reunião|chamada|voo|trem|comboio|almoço|jantar|entrevista|aula|visita)\b",
    "soon": r"\b(?:hoje|amanhã|esta (?:tarde|noite)|na (?:segunda|terça|quarta|quinta|sexta))\b",
    "at_time": r"\b(?:às? \d{1,2}|\d{1,2} ?h\b|\d{1,2}:\d\d)",
    "recurring": r"\b(?:cada|tod[oa]s? [oa]s?)\b",
    "vague": r"^\W*(?:isso|isto|esse|aquilo|ele|ela|alguém|é|era|foi|o outro|a outra)\b|\?\s*$|\b(?:talvez|não sei|"
    r"acho que)\b",
    "lasting": r"\b(?:meus?|minhas?|noss[oa]s?|sou|tenho|moro|trabalho|me chamo|se chama|mora|aniversário)\b",
}
