/** Background jobs: what waits, runs or failed, to be run again or canceled. */

import { fill, h } from "../dom.js";
import { whole, words } from "../format.js";
import { settled } from "../live.js";
import { button, dialog, empty, failure, head, loaded, segments, toast, when } from "../parts.js";

const STATES = { running: "accent", waiting: "", failed: "bad", canceled: "warn", done: "good" };
const ABOUT = {
  embed: "vectors for the turns of a session",
  extract: "memories from a session, without a model",
  enrich: "memories from a session, by the language model",
  synthesize: "a synthesis for the next turn",
  consolidate: "a run of consolidation",
};

export async function showJobs({ api, live, root, signal, query, canWrite }) {
  root.classList.add("wide");
  const isDone = query.get("state") === "done";
  const choice = segments("state", "Jobs", [["open", "Open"], ["done", "Done"]], isDone ? "done" : "open", (value) => (location.hash = value === "done" ? "#/jobs?state=done" : "#/jobs"));
  const place = h("div", { class: "stack" });
  fill(root, head("Jobs", "Background work that survives a restart. Failed jobs are tried again by themselves, then kept here.", choice), place);
  let shown = "";
  const load = (again = false) => loaded(place, signal, () => api.get("/v1/jobs", isDone ? { states: "done", limit: 200 } : { limit: 500 }, { signal }), ({ jobs }) => {
    const now = JSON.stringify(jobs);
    if (now === shown && !again) return undefined;
    shown = now;
    if (!jobs.length) return h("section", { class: "panel" }, empty("jobs", isDone ? "No job is done yet" : "Nothing waits", isDone ? null : "New messages of a session start jobs that extract memories and compute vectors."));
    return h("div", { class: "panel flush" }, h("table", { class: "table slips" },
      h("caption", { class: "hidden" }, "Background jobs"),
      h("thead", {}, h("tr", {}, ["State", "Kind", "For", "Due", "Attempts", "Last error", ""].map((name) => h("th", { scope: "col", class: name === "Attempts" ? "num" : "" }, name || h("span", { class: "hidden" }, "Actions"))))),
      h("tbody", {}, jobs.map((job) => row(job, canWrite && !isDone ? decide : null)))));
  });
  async function decide(job, verb) {
    if (verb === "cancel" && !(await dialog("Cancel this job?", h("p", { class: "small quiet" }, `What it did so far stays. New messages of the session start another one.`), (close) => [button("Keep it", () => close(""), { kind: "plain" }), button("Cancel job", () => close("yes"), { kind: "danger main-action" })]))) return;
    try {
      const done = await api.post(`/v1/jobs/${encodeURIComponent(job.id)}/${verb}`);
      toast(verb === "cancel" ? "Job canceled" : `Job is ${done.state}`);
    } catch (error) {
      if (error.status !== 401) toast(`${failure(error).textContent}`);
    }
    await load(true);
  }
  live.onChange((state) => JSON.stringify(state.jobs), signal, settled(load, signal));
  await load();
}

function row(job, decide) {
  const cell = (content, kind = "") => h("td", { class: kind }, content);
  return h(
    "tr",
    { tabindex: "-1", data: { item: job.id, job: job.id } },
    cell(h("span", { class: ["chip", STATES[job.state] ?? ""] }, job.state), "nowrap"),
    cell([h("b", {}, words(job.kind)), h("span", { class: "quiet wide-only" }, ` ${ABOUT[job.kind] ?? ""}`)], "nowrap"),
    cell(h("span", { class: "mono" }, job.key), "whole for"),
    cell(job.state === "running" ? ["until ", when(job.claimed_until, "clock")] : when(job.due, "moment"), "nowrap"),
    cell(whole(job.attempts), "num"),
    cell(job.error ? words(job.error) : h("span", { class: "quiet" }, "–"), "whole"),
    cell(decide && h("div", { class: "row nowrap" },
      job.state !== "running" && button(job.state === "waiting" ? "Run now" : "Retry", () => decide(job, "retry"), { kind: "small", "aria-label": `${job.state === "waiting" ? "Run now" : "Retry"} ${job.kind} ${job.key}` }),
      job.state !== "canceled" && button("Cancel", () => decide(job, "cancel"), { kind: "small plain", "aria-label": `Cancel ${job.kind} ${job.key}` })), "acts"),
  );
}
