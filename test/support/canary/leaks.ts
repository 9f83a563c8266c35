/** As much of a secret as must not be seen anywhere. */
const pieceLength = 12;
/** As many as are worth telling. */
const mostLeaks = 20;

/** A secret, by a name that may be told. */
export interface Canary {
  name: string;
  value: string;
}

/**
 * Looks for secrets in texts: for any 12 characters of them, plain, escaped, encoded for a URL or in base64. What comes
 * out names the secret, and shows it in its place.
 */
export function createLeakFinder(canaries: readonly Canary[]): (text: string) => readonly string[] {
  const pieces = new Map<string, string>();
  for (const { name, value } of canaries) {
    for (const [form, text] of formsOf(value)) {
      for (let start = 0; start + pieceLength <= text.length; start += 1) {
        const piece = text.slice(start, start + pieceLength);
        if (!pieces.has(piece)) pieces.set(piece, `${name} (${form})`);
      }
    }
  }
  // Texts are long, and nearly every place in them begins otherwise than all pieces.
  const beginnings = new Uint8Array(2 ** 16);
  for (const piece of pieces.keys()) beginnings[beginningOf(piece, 0)] = 1;
  return (text) => {
    const leaks: string[] = [];
    for (let start = 0; start + pieceLength <= text.length && leaks.length < mostLeaks; start += 1) {
      if (beginnings[beginningOf(text, start)] === 0) continue;
      const leak = pieces.get(text.slice(start, start + pieceLength));
      if (leak === undefined) continue;
      leaks.push(`${leak}: ${text.slice(Math.max(0, start - 100), start)}>>>${text.slice(start, start + 40)}`);
      start += 40;
    }
    return leaks;
  };
}

/** A number that three characters share with few others. */
function beginningOf(text: string, start: number): number {
  return (text.charCodeAt(start) ^ (text.charCodeAt(start + 1) << 5) ^ (text.charCodeAt(start + 2) << 10)) & 0xff_ff;
}

function formsOf(secret: string): readonly (readonly [string, string])[] {
  const escaped = JSON.stringify(secret).slice(1, -1);
  const url = encodeURIComponent(secret);
  const base64 = [0, 1, 2].map((offset) =>
    Buffer.concat([Buffer.alloc(offset), Buffer.from(secret)])
      .toString("base64")
      // The characters that it shares with its neighbors are not its own.
      .slice(offset === 0 ? 0 : offset + 1, Math.floor(((offset + secret.length) * 8) / 6)),
  );
  return [
    ["plain", secret],
    ["JSON", escaped],
    ["JSON in JSON", JSON.stringify(escaped).slice(1, -1)],
    ["URL", url],
    ["XML", secret.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;")],
    ...base64.map((text) => ["base64", text] as const),
    ...base64.map((text) => ["base64url", text.replaceAll("+", "-").replaceAll("/", "_")] as const),
  ];
}
