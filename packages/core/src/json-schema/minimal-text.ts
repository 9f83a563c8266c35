import type { JsonObject } from "../values/json.js";

/** A valid text for each format that is checked. */
const samples: Readonly<Record<string, string>> = {
  date: "2026-01-01",
  time: "00:00:00Z",
  "date-time": "2026-01-01T00:00:00Z",
  "iso-time": "00:00:00Z",
  "iso-date-time": "2026-01-01T00:00:00Z",
  duration: "P1D",
  email: "a@example.com",
  hostname: "example.com",
  ipv4: "192.0.2.1",
  ipv6: "2001:db8::1",
  uri: "https://example.com",
  url: "https://example.com",
  "uri-reference": "a",
  "uri-template": "https://example.com/{a}",
  uuid: "00000000-0000-4000-8000-000000000000",
  regex: "a",
  "json-pointer": "/a",
  "relative-json-pointer": "0",
  byte: "YQ==",
};

/** Far more than an argument has, characters. */
const longestText = 100_000;

const classes: Readonly<Record<string, string>> = { d: "0", w: "a", s: " ", D: "a", W: " ", S: "a" };
const controls: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", f: "\f", v: "\v", 0: "\0" };

/**
 * A short string for a schema of strings: by its format or its pattern, else one character, or as many as it must have.
 * Undefined if it would have to be longer than any argument. `salt` makes the entries of a list differ; `attempt` repeats more of what a pattern lets repeat.
 */
export function minimalText(
  schema: JsonObject,
  { attempt, salt }: { attempt: number; salt: number },
): string | undefined {
  const { format, pattern, minLength, maxLength } = schema;
  const least = typeof minLength === "number" ? minLength : 1;
  if (least > longestText) return undefined;
  const sample = typeof format === "string" ? samples[format] : undefined;
  if (sample !== undefined) return sample.padEnd(least, "a");
  const made = typeof pattern === "string" ? textForPattern(pattern, attempt + salt) : null;
  if (made !== null) return made.padEnd(least, made.at(-1) ?? "a");
  const text = salt === 0 ? "a" : `a${salt}`;
  return text.padEnd(least, "a").slice(0, typeof maxLength === "number" ? maxLength : undefined);
}

/** A piece of a regular expression that yields a string. `more`: how much beyond the least is repeated. */
type Piece = (more: number) => string;

/**
 * A short text that most likely matches a regular expression; null where the pattern has parts that none is made for.
 * `more`: by how much what may be repeated without end is repeated beyond the least. Whether it does match is for the
 * caller to see.
 */
export function textForPattern(pattern: string, more = 0): string | null {
  const reader = new PatternReader(pattern);
  const piece = reader.read();
  return reader.isSupported ? piece(more) : null;
}

/** A class, because reading goes on from where the last piece ended. */
class PatternReader {
  /** False once it has met a part that no text is made for: look-arounds, back-references and the like. */
  isSupported = true;
  private readonly pattern: string;
  private at = 0;

  constructor(pattern: string) {
    this.pattern = pattern;
  }

  read(): Piece {
    const piece = this.alternatives();
    return this.at < this.pattern.length ? this.unsupported() : piece;
  }

  /** There is no point in reading on. */
  private unsupported(): Piece {
    this.isSupported = false;
    this.at = this.pattern.length;
    return fixed("");
  }

  private peek(): string {
    return this.pattern[this.at] ?? "";
  }

  private take(): string {
    const char = this.peek();
    this.at += 1;
    return char;
  }

  /** The first one will do. */
  private alternatives(): Piece {
    const first = this.sequence();
    while (this.peek() === "|") {
      this.at += 1;
      this.sequence();
    }
    return first;
  }

  private sequence(): Piece {
    const pieces: Piece[] = [];
    while (this.at < this.pattern.length && !"|)".includes(this.peek())) pieces.push(this.quantified(this.atom()));
    return (more) => pieces.map((piece) => piece(more)).join("");
  }

  private quantified(piece: Piece): Piece {
    const rest = this.pattern.slice(this.at);
    const bounds = /^(?:([*+?])|\{(\d+)(?:(,)(\d*))?\})\??/.exec(rest);
    if (bounds === null) return piece;
    this.at += bounds[0].length;
    const [, sign, least, comma, most] = bounds;
    const from = sign === undefined ? Number(least) : sign === "+" ? 1 : 0;
    const isOpen = sign === "*" || sign === "+" || (comma !== undefined && most === "");
    const upTo = isOpen ? Number.POSITIVE_INFINITY : sign === "?" ? 1 : most === undefined ? from : Number(most);
    return (more) => repeated(piece(more), Math.min(upTo, from + more));
  }

  private atom(): Piece {
    const char = this.take();
    switch (char) {
      case "^":
      case "$":
        return () => "";
      case ".":
        return () => "a";
      case "(":
        return this.group();
      case "[":
        return this.charClass();
      case "\\":
        return this.escape();
      default:
        return fixed(char);
    }
  }

  private group(): Piece {
    if (this.peek() === "?") {
      const head = /^\?(?::|<[A-Za-z_]\w*>)/.exec(this.pattern.slice(this.at));
      if (head === null) return this.unsupported();
      this.at += head[0].length;
    }
    const piece = this.alternatives();
    return this.take() === ")" ? piece : this.unsupported();
  }

  private escape(): Piece {
    const char = this.take();
    if (char === "b") return () => "";
    if (/[1-9kBpP]/.test(char)) return this.unsupported();
    const literal = classes[char] ?? this.literal(char);
    return literal === null ? this.unsupported() : fixed(literal);
  }

  /** The meaning of an escape that is not a class; null if it is not a character. */
  private literal(char: string): string | null {
    const control = controls[char];
    if (control !== undefined) return control;
    if (char !== "x" && char !== "u") return char;
    const digits = /^(?:\{[0-9a-f]+\}|[0-9a-f]{4}|[0-9a-f]{2})/i.exec(this.pattern.slice(this.at));
    if (digits === null) return null;
    const wanted = char === "x" ? digits[0].slice(0, 2) : digits[0];
    this.at += wanted.length;
    const code = Number.parseInt(wanted.replaceAll(/[{}]/g, ""), 16);
    return code > 0x10_ff_ff ? null : String.fromCodePoint(code);
  }

  private charClass(): Piece {
    const isNegated = this.peek() === "^";
    const start = this.at - 1;
    if (isNegated) this.at += 1;
    let first: string | null = null;
    while (this.at < this.pattern.length && this.peek() !== "]") {
      const char = this.take();
      const one = char === "\\" ? this.classEscape() : char;
      if (one === null) return this.unsupported();
      first ??= one;
    }
    if (this.take() !== "]") return this.unsupported();
    if (!isNegated && first !== null) return fixed(first);
    const matches = new RegExp(`^${this.pattern.slice(start, this.at)}$`);
    const found = ["a", "0", " ", "A", "-", "_", ".", "é"].find((char) => matches.test(char));
    return found === undefined ? this.unsupported() : fixed(found);
  }

  private classEscape(): string | null {
    const char = this.take();
    if (char === "b") return "\b";
    if (/[pP]/.test(char)) return null;
    return classes[char] ?? this.literal(char);
  }
}

/** What is cut does not match, so that nothing is made for the pattern. */
function repeated(text: string, times: number): string {
  return text.repeat(Math.min(times, Math.floor(longestText / Math.max(1, text.length))));
}

function fixed(text: string): Piece {
  return () => text;
}
