import { InvalidArgumentError } from "commander";

// Commander turns what these throw into a usage error that names the flag.

export const parseCount = wholeNumber(1);
export const parseKeep = wholeNumber(0);
export const parseSeed = wholeNumber(0, 4_294_967_295);
export const parseRate = numberFrom(0, 1);
export const parseKappa = numberFrom(-1, 1);

export function parseUsd(text: string): number {
  const value = Number(text);
  if (text.trim() === "" || !Number.isFinite(value) || value < 0) throw mustBe("an amount in US dollars, such as 2.50");
  return value;
}

/** Core has the full parser; it is not loaded for the sake of a flag. */
export function parseDurationMs(text: string): number {
  const value = spanMs(text, { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 });
  if (/^\d+(\.\d+)?$/.test(text.trim())) throw mustBe(`${text.trim()}s or ${text.trim()}ms: a duration has a unit`);
  if (!Number.isFinite(value) || value <= 0) throw mustBe("a duration such as 500ms, 30s or 2m");
  return value;
}

/** Ages are longer than what a run waits for: days and weeks too. */
export function parseAgeMs(text: string): number {
  const value = spanMs(text, { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 });
  if (!Number.isFinite(value)) throw mustBe("an age such as 12h, 30d or 4w");
  return value;
}

/** NaN unless the text is a number and one of the units. */
function spanMs(text: string, unitsMs: Readonly<Record<string, number>>): number {
  const [, value, unit = ""] = /^(\d+(?:\.\d+)?)([a-z]*)$/.exec(text.trim()) ?? [];
  return Number(value) * (unitsMs[unit] ?? Number.NaN);
}

function wholeNumber(least: number, most = Number.MAX_SAFE_INTEGER): (text: string) => number {
  const range = most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most}`;
  return (text) => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < least || value > most) throw mustBe(`a whole number ${range}`);
    return value;
  };
}

function numberFrom(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (text.trim() === "" || !(value >= least && value <= most)) throw mustBe(`a number from ${least} to ${most}`);
    return value;
  };
}

function mustBe(what: string): InvalidArgumentError {
  return new InvalidArgumentError(`It must be ${what}.`);
}
