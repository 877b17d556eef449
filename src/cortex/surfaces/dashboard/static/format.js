/** Numbers, times and words for people. */

const WHOLE = new Intl.NumberFormat("en");
const DAY = new Intl.DateTimeFormat("en-GB", { weekday: "long", day: "numeric", month: "long" });
const DAY_YEAR = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "long", year: "numeric" });
const DATE = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric" });
const CLOCK = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
const MOMENT = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "medium" });
const SHORT_DAY = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });
const RELATIVE = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const STEPS = [["minute", 60], ["hour", 3600], ["day", 86400]];

export const whole = (number) => WHOLE.format(number ?? 0);
export const percent = (share) => `${Math.round(share * 100)}%`;
export const date = (at) => DATE.format(new Date(at));
export const clock = (at) => CLOCK.format(new Date(at));
export const moment = (at) => MOMENT.format(new Date(at));
/** A day of UTC, such as the days of the growth chart. */
export const shortDay = (day) => SHORT_DAY.format(new Date(`${day}T00:00:00Z`));

/** `1 hit`, `2 hits`. */
export const counted = (number, one, many = `${one}s`) => `${whole(number)} ${number === 1 ? one : many}`;

/** `must_remember` as `must remember`. */
export const words = (name) => String(name ?? "").replaceAll("_", " ");
/** The same with an initial capital; camelCase is split. */
export function title(name) {
  const plain = words(name).replace(/([a-z])([A-Z])/g, (_, a, b) => `${a} ${b.toLowerCase()}`);
  return plain.charAt(0).toUpperCase() + plain.slice(1);
}

/** Milliseconds with useful precision. */
export function milliseconds(value) {
  if (value === null || value === undefined) return "–";
  if (value >= 10_000) return `${(value / 1000).toFixed(1)} s`;
  return `${value >= 100 ? Math.round(value) : value.toFixed(1)} ms`;
}

export function bytes(value) {
  const units = ["B", "KiB", "MiB", "GiB"];
  let size = value ?? 0;
  let unit = 0;
  while (size >= 1024 && unit < units.length - 1) [size, unit] = [size / 1024, unit + 1];
  return `${unit && size < 100 ? size.toFixed(1) : Math.round(size)} ${units[unit]}`;
}

/** Relative time for recent times, else the date. */
export function ago(at, now = Date.now()) {
  const seconds = (new Date(at).getTime() - now) / 1000;
  if (Math.abs(seconds) < 45) return "just now";
  for (const [unit, length] of STEPS) {
    const limit = { minute: 3600, hour: 86400, day: 7 * 86400 }[unit];
    if (Math.abs(seconds) < limit) return RELATIVE.format(Math.round(seconds / length), unit);
  }
  return date(at);
}

/** The heading of a day in the browser's time zone. */
export function dayName(at, now = new Date()) {
  const day = new Date(at);
  const midnight = (when) => new Date(when.getFullYear(), when.getMonth(), when.getDate()).getTime();
  const passed = Math.round((midnight(now) - midnight(day)) / 86_400_000);
  if (passed === 0) return "Today";
  if (passed === 1) return "Yesterday";
  return day.getFullYear() === now.getFullYear() ? DAY.format(day) : DAY_YEAR.format(day);
}

/** The URL of a store; its name alone if there is nothing else in it. */
export const storeName = (store) => store?.url?.replace(/:$/, "");

/** The end of an id, enough to compare by eye. */
export const shortId = (id) => `…${String(id ?? "").slice(-8)}`;

const YEAR_DAY = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" });
const MONTH = new Intl.DateTimeFormat("en-GB", { month: "short", year: "numeric", timeZone: "UTC" });

/** The name of a day, week, month or year that begins on a day (UTC), short for an axis and in full. */
export function spanDays(day, days, hasYear) {
  const at = new Date(`${day}T00:00:00Z`);
  if (days > 31) return { label: day.slice(0, 4), title: day.slice(0, 4) };
  if (days > 7) return { label: MONTH.format(at), title: MONTH.format(at) };
  const name = hasYear ? YEAR_DAY : SHORT_DAY;
  const label = hasYear ? MONTH.format(at) : SHORT_DAY.format(at);
  if (days === 1) return { label: hasYear ? YEAR_DAY.format(at) : label, title: name.format(at) };
  const last = new Date(at.getTime() + (days - 1) * 86_400_000);
  return { label, title: `${SHORT_DAY.format(at)} – ${name.format(last)}` };
}
