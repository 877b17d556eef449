/** Live updates: one event stream for the page, which reconnects when it breaks. */

const FIRST_WAIT = 1_000;
const LONGEST_WAIT = 30_000;
const SILENCE = 45_000;
const UNSEEN = 20_000;

/** Dispatches `state` with the latest state of the server, and `link` when the stream opens or closes. */
export class Live extends EventTarget {
  #api;
  #stop = null;
  #wait = FIRST_WAIT;
  #again = 0;
  #unseen = 0;
  #wanted = false;
  link = "off";
  state = null;

  constructor(api) {
    super();
    this.#api = api;
    document.addEventListener("visibilitychange", () => this.#seen(!document.hidden));
  }

  start() {
    this.stop();
    this.#wanted = true;
    this.#wait = FIRST_WAIT;
    this.#open();
  }

  stop() {
    this.#wanted = false;
    clearTimeout(this.#again);
    this.#stop?.abort();
    this.#stop = null;
    this.#announce("off");
  }

  /** Listen until `signal` aborts. */
  on(kind, signal, listener) {
    this.addEventListener(kind, (event) => listener(event.detail), { signal });
  }

  /**
   * Call `listener` when `key` of the state differs from what it was. The first state counts as well: it may be newer
   * than what the page has loaded before it.
   */
  onChange(key, signal, listener) {
    let last = this.state && key(this.state);
    this.on("state", signal, (state) => {
      const now = key(state);
      if (now !== last) listener();
      last = now;
    });
  }

  async #open() {
    const stop = (this.#stop = new AbortController());
    try {
      const response = await this.#api.stream("/v1/changes", stop.signal);
      this.#announce("live");
      this.#wait = FIRST_WAIT;
      await this.#read(response.body.getReader(), stop);
    } catch (error) {
      if (error?.status === 401) this.#wanted = false;
    }
    if (stop === this.#stop && this.#wanted) this.#later();
  }

  async #read(reader, stop) {
    const decoder = new TextDecoder();
    let text = "";
    for (;;) {
      // The server sends something every fifteen seconds; a longer silence is a dead connection.
      const silent = setTimeout(() => stop.abort(), SILENCE);
      const { done, value } = await reader.read().finally(() => clearTimeout(silent));
      if (done) return;
      text += decoder.decode(value, { stream: true }).replaceAll("\r\n", "\n");
      const events = text.split("\n\n");
      text = events.pop() ?? "";
      events.forEach((each) => this.#receive(each));
    }
  }

  #receive(event) {
    const lines = event.split("\n");
    const field = (name) => lines.filter((line) => line.startsWith(name)).map((line) => line.slice(name.length).trimStart());
    const data = field("data:").join("\n");
    if (!data || !["state", undefined].includes(field("event:")[0])) return;
    try {
      this.state = JSON.parse(data);
    } catch {
      return;
    }
    this.dispatchEvent(new CustomEvent("state", { detail: this.state }));
  }

  #later() {
    this.#announce("waiting");
    clearTimeout(this.#again);
    // Spread reconnects, so that not all pages come at once.
    this.#again = setTimeout(() => this.#open(), this.#wait * (0.75 + Math.random() / 2));
    this.#wait = Math.min(this.#wait * 2, LONGEST_WAIT);
  }

  #seen(isSeen) {
    clearTimeout(this.#unseen);
    if (!this.#wanted) return;
    if (isSeen && this.#stop === null) this.start();
    else if (!isSeen) this.#unseen = setTimeout(() => this.#rest(), UNSEEN);
  }

  /** A hidden page keeps no connection. */
  #rest() {
    clearTimeout(this.#again);
    this.#stop?.abort();
    this.#stop = null;
    this.#announce("waiting");
  }

  #announce(link) {
    if (link === this.link) return;
    this.link = link;
    this.dispatchEvent(new CustomEvent("link", { detail: link }));
  }
}

/** `listener` once it has been quiet for a moment, and at the latest after `most` milliseconds; until `signal` aborts. */
export function settled(listener, signal, { quiet = 400, most = 2_000 } = {}) {
  let timer = 0;
  let since = 0;
  signal.addEventListener("abort", () => clearTimeout(timer));
  return () => {
    if (signal.aborted) return;
    const now = Date.now();
    since ||= now;
    clearTimeout(timer);
    timer = setTimeout(() => {
      since = 0;
      listener();
    }, Math.max(0, Math.min(quiet, since + most - now)));
  };
}
