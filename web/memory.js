/** What the page remembers between visits. Where storage is forbidden it remembers nothing. */

export function recall(key) {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** Says whether it will be remembered. */
export function remember(key, value) {
  try {
    localStorage.setItem(key, value);
  } catch {
    return false;
  }
  return true;
}
