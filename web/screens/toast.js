/** A sentence that goes away by itself: refusals and other things a player must hear of. */

const SHOWN_MS = 5_000;

let timer;

export function showToast(text) {
  const toast = document.querySelector("#toast");
  toast.textContent = text;
  toast.hidden = false;
  clearTimeout(timer);
  timer = setTimeout(() => {
    toast.hidden = true;
  }, SHOWN_MS);
}

/** Says something to those who listen to the page instead of looking at it. */
export function announce(text) {
  document.querySelector("#announcer").textContent = text;
}
