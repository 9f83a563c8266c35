import { InvalidArgumentError } from "commander";

// Commander turns what these throw into a usage error that names the option.

export function parseCount(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < 1 || !Number.isSafeInteger(value)) {
    throw new InvalidArgumentError("It must be a whole number of at least 1.");
  }
  return value;
}

export function parseSeed(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value > 4_294_967_295) {
    throw new InvalidArgumentError("It must be a whole number from 0 to 4294967295.");
  }
  return value;
}

export function parseRate(text: string): number {
  const value = Number(text);
  if (text.trim() === "" || !(value >= 0 && value <= 1)) {
    throw new InvalidArgumentError("It must be a number from 0 to 1.");
  }
  return value;
}

export function parseKappa(text: string): number {
  const value = Number(text);
  if (text.trim() === "" || !(value >= -1 && value <= 1)) {
    throw new InvalidArgumentError("It must be a number from -1 to 1.");
  }
  return value;
}

export function parseUsd(text: string): number {
  const value = Number(text);
  if (text.trim() === "" || !Number.isFinite(value) || value < 0) {
    throw new InvalidArgumentError("It must be an amount in US dollars, such as 2.50.");
  }
  return value;
}

/** Core has the full parser; it is not loaded for the sake of an option. */
export function parseDurationMs(text: string): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(text.trim());
  const value = Number(match?.[1]) * { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }[unitOf(match?.[2])];
  if (!Number.isFinite(value) || value <= 0) {
    throw new InvalidArgumentError("It must be a duration such as 500ms, 30s or 2m.");
  }
  return value;
}

/** Ages are longer than what a run waits for: days and weeks too. */
export function parseAgeMs(text: string): number {
  const match = /^(\d+(?:\.\d+)?)([mhdw])$/.exec(text.trim());
  const unitMs = new Map([
    ["m", 60_000],
    ["h", 3_600_000],
    ["d", 86_400_000],
    ["w", 604_800_000],
  ]).get(match?.[2] ?? "");
  const value = Number(match?.[1]) * (unitMs ?? 0);
  if (!Number.isFinite(value) || unitMs === undefined) {
    throw new InvalidArgumentError("It must be an age such as 12h, 30d or 4w.");
  }
  return value;
}

export function parseKeep(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value)) {
    throw new InvalidArgumentError("It must be a whole number of at least 0.");
  }
  return value;
}

function unitOf(text: string | undefined): "ms" | "s" | "m" | "h" {
  return text === "s" || text === "m" || text === "h" ? text : "ms";
}
