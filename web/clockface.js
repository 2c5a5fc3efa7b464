/** Time as people read it. */

/** `14:32`, `1:02:03`, and under 20 s with tenths: `9.4`. */
export function inDigits(ms) {
  if (ms < 20_000) return (Math.floor(ms / 100) / 10).toFixed(1);
  const seconds = Math.ceil(ms / 1000);
  const parts = [Math.floor(seconds / 60) % 60, seconds % 60];
  const hours = Math.floor(seconds / 3600);
  const shown = hours ? [hours, ...parts] : parts;
  return shown.map((part, index) => (index ? String(part).padStart(2, "0") : part)).join(":");
}

/** `0:54`: a countdown, which reaches 0:00 when its instant comes. */
export function countdown(ms) {
  const seconds = Math.ceil(Math.max(0, ms) / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

/** A limit in words: `15 min`, `90 s`. */
export function inWords(ms, say) {
  return ms % 60_000 === 0
    ? say("time.minutes", { n: ms / 60_000 })
    : say("time.seconds", { n: ms / 1000 });
}

/** `{title, detail}` of a time control. */
export function describe({ totalMs, perMoveMs, incrementMs }, say) {
  if (totalMs === null && perMoveMs === null) {
    return { title: say("time.none"), detail: say("time.none_detail") };
  }
  const perMove = perMoveMs === null ? null : say("time.per_move", { time: inWords(perMoveMs, say) });
  const increment = incrementMs ? say("time.increment", { n: incrementMs / 1000 }) : null;
  if (totalMs === null) return { title: perMove, detail: increment ?? say("time.no_total") };
  const details = [perMove, increment].filter(Boolean).join(", ");
  return { title: inWords(totalMs, say), detail: details || say("time.no_increment") };
}
