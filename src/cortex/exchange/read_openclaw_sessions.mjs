// Prints the sessions of one OpenClaw agent, one JSON object a line: `node read_openclaw_sessions.mjs DATABASE`.
// Node runs it, because long events are compressed with Zstandard.

import { DatabaseSync } from "node:sqlite";
import { zstdDecompressSync } from "node:zlib";

const database = new DatabaseSync(process.argv[2], { readOnly: true });

const sessions = database.prepare(
  `SELECT w.session_id AS id, w.session_key AS key, w.chat_type AS chat,
          w.session_id = n.current_session_id AS isCurrent
   FROM session_windows w LEFT JOIN session_nodes n ON n.session_key = w.session_key
   ORDER BY w.created_at, w.session_id`,
);
const events = database.prepare(
  `SELECT e.event_json AS plain, e.event_zstd AS packed
   FROM session_transcript_active_events a
   JOIN transcript_events e ON e.session_id = a.session_id AND e.seq = a.event_seq
   WHERE a.session_id = ? AND a.message_position IS NOT NULL ORDER BY a.active_position`,
);

for (const session of sessions.all()) {
  const rows = events.all(session.id);
  const texts = rows.map(({ plain, packed }) => JSON.parse(plain ?? zstdDecompressSync(packed).toString("utf8")));
  process.stdout.write(`${JSON.stringify({ ...session, events: texts })}\n`);
}
