/**
 * Where the server is. One mechanism: `config.json` beside the page, `{"websocket": address}`, and
 * `absenceMs` where the deployment has another `AbsenceMs` than the default.
 * The address may be relative to the page, as in the file that ships (`/live`, for a gateway that
 * serves page and socket on one port); a deployment writes its own file over it, with the address
 * of its API: `{"websocket": "wss://abc123.execute-api.eu-north-1.amazonaws.com/live"}`.
 */

export async function readConfig() {
  const answer = await fetch(new URL("config.json", import.meta.url), { cache: "no-cache" });
  if (!answer.ok) throw new Error(`config.json: ${answer.status}`);
  const { websocket, absenceMs } = await answer.json();
  const url = new URL(websocket, document.baseURI);
  url.protocol = url.protocol.replace("http", "ws");
  return { websocket: url.href, absenceMs };
}
