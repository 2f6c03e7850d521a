// Durations, counts and names as text.

/** A duration in microseconds, in a suitable unit: 120 µs, 1.3 s, 2 m 05 s. */
export function duration(us) {
  if (us < 1000) return `${Math.round(us)} µs`;
  if (us < 9950) return `${(us / 1000).toFixed(1)} ms`;
  if (us < 999500) return `${Math.round(us / 1000)} ms`;
  if (us < 99950000) return `${(us / 1e6).toFixed(1)} s`;
  const seconds = Math.round(us / 1e6);
  const minutes = Math.floor(seconds / 60);
  if (minutes < 100) return `${minutes} m ${String(seconds % 60).padStart(2, "0")} s`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours} h ${String(minutes % 60).padStart(2, "0")} m`;
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** The same for milliseconds. */
export function durationMs(ms) {
  return duration(ms * 1000);
}

const NUMBERS = new Intl.NumberFormat("en");

/** A number with separators: 1,204. */
export function number(value) {
  return NUMBERS.format(value);
}

/** A number of things: 1 byte, 1,204 bytes. */
export function counted(value, unit) {
  return `${number(value)} ${unit}${value === 1 ? "" : "s"}`;
}

/** The name of a partition: orders-0. */
export function partitionName(each) {
  return `${each.topic}-${each.partition}`;
}

/** The first of some names, and the number of the others. */
export function some(names, most = 3) {
  const more = names.length - most;
  return names.slice(0, most).join(", ") + (more > 0 ? ` and ${more} more` : "");
}

/** The name of a client; it may have none. */
export function clientName(id) {
  return id ? id : "a client without an id";
}

/** A time of day in UTC with milliseconds, from microseconds since the Unix epoch. */
export function timeOfDay(us) {
  return new Date(us / 1000).toISOString().slice(11, 23);
}

/** The day of such a time. */
export function day(us) {
  return new Date(us / 1000).toISOString().slice(0, 10);
}
