import { didYouMean } from "@kindlm/core/program";
import { Option } from "commander";
import { UsageError } from "../errors/usage-error.js";

/**
 * A flag: all that is said of it, and the type of what a command receives. Its name is its key among the flags of the
 * command, so `rerunFailed` is written `--rerun-failed`.
 */
export interface Flag<T> {
  /** An imperative for `--help`, of at most 60 characters. */
  help: string;
  /** The letter of its short form. */
  short?: string;
  /** How the help writes the value, such as `<n>`. Without it the flag is a switch. */
  value?: string;
  /** The value of the flag alone. Others are then written `--flag=value`, so the flag never swallows a path. */
  bare?: string;
  choices?: readonly string[];
  /** Another note for the help, such as what happens by default. */
  note?: string;
  /** What the command receives if the flag is not written. If it is true, the flag is written `--no-…`. */
  absent: T;
  /** Reads one value. `before` is what earlier ones gave, `flag` the flag as it is written. */
  read?(written: string, before: T, flag: string): T;
}

export type Flags = Readonly<Record<string, Flag<unknown>>>;

/** What a command receives for its flags. */
export type FlagValues<F extends Flags> = { readonly [Name in keyof F]: F[Name] extends Flag<infer T> ? T : never };

type More = Partial<Pick<Flag<unknown>, "short" | "bare" | "note" | "choices">>;

export function toggle(help: string, more: More = {}): Flag<boolean> {
  return { help, absent: false, ...more };
}

/** `--no-…`: switches off what is on by default. */
export function off(help: string): Flag<boolean> {
  return { help, absent: true };
}

export function text(value: string, help: string, more: More = {}): Flag<string | undefined> {
  return parsed(value, help, (written) => written, more);
}

/** `parse` throws commander's InvalidArgumentError or a UsageError. */
export function parsed<T>(
  value: string,
  help: string,
  parse: (written: string, flag: string) => T,
  more: More = {},
): Flag<T | undefined> {
  return { value, help, absent: undefined, read: (written, _before, flag) => parse(written, flag), ...more };
}

/** May be repeated. */
export function list(value: string, help: string, more: More = {}): Flag<readonly string[]> {
  return { value, help, absent: [], read: (written, before) => [...before, written], ...more };
}

export function oneOf<T extends string>(
  value: string,
  help: string,
  choices: readonly T[],
  more: More = {},
): Flag<T | undefined> {
  const parse = (written: string, flag: string): T => {
    const found = choices.find((choice) => choice === written);
    if (found !== undefined) return found;
    const fix = didYouMean(written, choices) ?? `Choose one of ${choices.join(", ")}`;
    throw new UsageError(`${flag} has no "${written}"`, fix);
  };
  return parsed(value, help, parse, { choices, ...more });
}

/** As it is written: `--rerun-failed`. */
export function longOf(name: string, { absent }: Flag<unknown>): string {
  const words = name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return absent === true ? `--no-${words}` : `--${words}`;
}

/** The flag as commander parses and shows it. */
export function toOption(name: string, flag: Flag<unknown>, group = "Options"): Option {
  const { short, value, absent } = flag;
  const long = longOf(name, flag);
  const parts = [...(short === undefined ? [] : [`-${short},`]), long, ...(value === undefined ? [] : [value])];
  const option = new Option(parts.join(" "), describe(flag)).default(absent).helpGroup(`${group}:`);
  return flag.read === undefined ? option : option.argParser((given, before) => flag.read?.(given, before, long));
}

function describe({ help, choices, absent, note }: Flag<unknown>): string {
  const notes = [
    ...(choices === undefined ? [] : [choices.length === 1 ? choices.join() : `one of ${choices.join(", ")}`]),
    ...(typeof absent === "string" ? [`default: ${absent}`] : []),
    ...(Array.isArray(absent) ? ["repeatable"] : []),
    ...(note === undefined ? [] : [note]),
  ];
  return notes.length === 0 ? help : `${help} (${notes.join("; ")})`;
}
