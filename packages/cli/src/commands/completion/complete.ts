import type { ProjectNames } from "@kindlm/core/commands/find-names";
import { takesNext } from "../../arguments/arrange-words.js";
import type { CliEnvironment } from "../../environment.js";
import type { CommandEntry, CommandGroup } from "../command-definition.js";
import { longOf, type Flag, type Flags } from "../flag.js";
import { globalFlags } from "../shared-flags.js";
import { inBash, wordsOfLine } from "./bash-words.js";
import { shells } from "./command.js";

/** What the script of a shell is to do: take the candidates, complete files itself, or do what it does elsewhere. */
type Directive = "names" | "files" | "folders" | "other";

interface Completion {
  directive: Directive;
  candidates: readonly Candidate[];
}

interface Candidate {
  text: string;
  about: string;
}

/** What can stand for a value, by the name of the flag, or else by how the help writes the value or the argument. */
const kinds: Readonly<Record<string, Kind>> = {
  suite: "suites",
  suites: "suites",
  test: "tests",
  exclude: "tests",
  case: "tests",
  tag: "tags",
  model: "models",
  run: "runs",
  code: "codes",
  shell: "shells",
  path: "files",
  paths: "files",
  file: "files",
  runs: "files",
  transcripts: "files",
  folder: "folders",
};
type Kind = keyof ProjectNames | "codes" | "shells" | "files" | "folders";

/** `written`: such as `<file>` or `[paths...]`. */
function kindOf(name: string, written: string): Kind | null {
  return kinds[name] ?? kinds[written.replaceAll(/[^a-z]/g, "")] ?? null;
}

type Entry = CommandEntry | CommandGroup;

/** What completion knows of the project and of the command line. */
export interface Known {
  commands: readonly Entry[];
  codes(): Promise<readonly string[]>;
  names(configs: readonly string[]): Promise<ProjectNames>;
}

/**
 * The hidden command that the scripts of `kindlm completion` call with each press of the key. For bash it gets the line up
 * to the cursor, and the part of it that bash replaces; for PowerShell a variable; else the words up to the cursor.
 * Prints a line with the directive, and one for each candidate.
 */
export async function complete(argv: readonly string[], known: Known, environment: CliEnvironment): Promise<number> {
  const [shell = "", ...rest] = argv;
  const line = shell === "bash" ? wordsOfLine(rest[0] ?? "") : [];
  const words =
    shell === "bash"
      ? line.map(({ value }) => value)
      : shell === "powershell"
        ? (environment.env["KINDLM_COMPLETE"] ?? "").split("\u001f")
        : rest;
  const at = words.findIndex((word) => /(?:^|[\\/])kindlm(?:\.[a-z0-9]+)?$|^@kindlm\/cli(?:@|$)/i.test(word));
  const isTyped = at === -1 || at === words.length - 1;
  const { directive, candidates } = isTyped
    ? { directive: "other" as const, candidates: [] }
    : await completionsOf(words.slice(at + 1), known);
  const last = line.at(-1);
  const shown = candidates.map(({ text, about }) =>
    last === undefined ? `${text}\t${about}` : inBash(text, last, rest[1] ?? ""),
  );
  await environment.stdout.write(`${[directive, ...shown].join("\n")}\n`);
  return 0;
}

/** `words`: what follows the program; the last is not finished. */
async function completionsOf(words: readonly string[], known: Known): Promise<Completion> {
  const current = words.at(-1) ?? "";
  const place = placeOf(words.slice(0, -1), known.commands);
  const valueOf = ([name, flag]: NamedFlag, prefix: string): Promise<Completion> => {
    const what = flag.choices ?? kindOf(name, flag.value ?? "") ?? [];
    return valuesFor(what, { current: current.slice(prefix.length), prefix, place, known });
  };
  if (place.open !== null) return valueOf(place.open, "");
  if (current.startsWith("-") && !place.isOver) {
    const assigned = /^(--[a-z-]+=)/.exec(current)?.[1];
    const flag = assigned === undefined ? undefined : flagNamed(assigned.slice(0, -1), place.flags);
    if (assigned === undefined || flag === undefined) return flagsOf(place, current);
    return valueOf(flag, assigned);
  }
  return valuesFor(place.next, { current, prefix: "", place, known });
}

type NamedFlag = readonly [name: string, flag: Flag<unknown>];

interface Place {
  flags: Flags;
  /** Those that stand there already and cannot be repeated. */
  used: ReadonlySet<string>;
  /** The flag whose value comes next. */
  open: NamedFlag | null;
  /** The commands that may come next, or what the arguments are. */
  next: Kind | readonly Entry[];
  configs: readonly string[];
  /** After `--`. */
  isOver: boolean;
}

function placeOf(words: readonly string[], commands: Known["commands"]): Place {
  let flags: Flags = globalFlags;
  let next: Place["next"] = commands;
  let open: NamedFlag | null = null;
  let isOver = false;
  const used = new Set<string>();
  const configs: string[] = [];
  for (const word of words) {
    if (open !== null) {
      if (open[1] === globalFlags.config) configs.push(word);
      open = null;
    } else if (word === "--" && !isOver) isOver = true;
    else if (word.startsWith("-") && !isOver) {
      used.add(word.replace(/=.*$/s, ""));
      if (takesNext(word, flags)) open = flagNamed(word, flags) ?? null;
    } else if (typeof next !== "string") {
      const entry: Entry | undefined = next.find(({ name }) => name === word);
      if (entry === undefined) next = [];
      else if ("commands" in entry) {
        next = entry.commands;
        flags = { ...globalFlags, ...Object.fromEntries(entry.commands.flatMap((one) => Object.entries(one.flags))) };
      } else {
        const [argument = ""]: readonly string[] = Object.keys(entry.args ?? {});
        next = argument === "[command...]" ? commands : (kindOf("", argument) ?? []);
        flags = entry.passesWords === true ? {} : { ...globalFlags, ...entry.flags };
      }
    } else if (next === "files") configs.push(word);
  }
  return { flags, used, open, next, configs, isOver };
}

function flagNamed(written: string, flags: Flags): NamedFlag | undefined {
  return Object.entries(flags).find(
    ([name, flag]) => longOf(name, flag) === written || (flag.short !== undefined && `-${flag.short}` === written),
  );
}

function flagsOf({ flags, used }: Place, current: string): Completion {
  const all = Object.entries(flags).map(([name, flag]) => ({ text: longOf(name, flag), about: flag.help, flag }));
  const open = all.filter(({ text, flag }) => Array.isArray(flag.absent) || !used.has(text));
  return names([...open, { text: "--help", about: "Print help" }], current, "");
}

interface Wanted {
  current: string;
  /** The part of the word before what is completed, such as `--suite=`. */
  prefix: string;
  place: Place;
  known: Known;
}

async function valuesFor(
  what: Kind | readonly (Entry | string)[],
  { current, prefix, place, known }: Wanted,
): Promise<Completion> {
  if (what === "files" || what === "folders") return { directive: what, candidates: [] };
  if (typeof what !== "string") {
    // The file of a report: junit=…
    if (what.every((one) => typeof one === "string") && current.includes("=")) {
      return { directive: "files", candidates: [] };
    }
    const list = what.map((one) =>
      typeof one === "string" ? { text: one, about: "" } : { text: one.name, about: one.summary },
    );
    return names(list, current, prefix);
  }
  if (what === "shells") return names(plain(shells), current, prefix);
  if (what === "codes") return names(plain(await known.codes()), current, prefix);
  const found = await known.names(place.configs);
  if (what === "runs") return names(plain(["last", ...found.runs]), current, prefix);
  if (what !== "tests") return names(plain(found[what]), current, prefix);
  const ids = names(plain(found.tests.map(firstLine)), current, prefix);
  if (ids.candidates.length > 0) return ids;
  // A part of an ID is enough for a pattern.
  return names(plain(found.tests.map((id) => firstLine(id.slice(id.indexOf("/") + 1)))), current, prefix);
}

function plain(texts: readonly string[]): readonly Candidate[] {
  return texts.map((text) => ({ text, about: "" }));
}

/** Control characters cannot be typed; what comes before them is a pattern too. */
function firstLine(text: string): string {
  return text.split(/\p{Cc}/u)[0] ?? "";
}

function names(all: readonly Candidate[], current: string, prefix: string): Completion {
  const fitting = all.filter(({ text }) => text !== "" && text.startsWith(current) && !/\p{Cc}/u.test(text));
  const unique = new Map(fitting.map(({ text, about }) => [text, { text: `${prefix}${text}`, about }]));
  return { directive: "names", candidates: [...unique.values()] };
}
