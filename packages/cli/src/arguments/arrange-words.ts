import { didYouMean } from "@kindlm/core/program";
import type { CommandEntry, CommandGroup } from "../commands/command-definition.js";
import { longOf, type Flag, type Flags } from "../commands/flag.js";
import { helpCommand } from "../commands/help/command.js";
import { globalFlags } from "../commands/shared-flags.js";
import { UsageError } from "../errors/usage-error.js";

/**
 * The words behind `kindlm` as commander takes them. The command of a group stands right behind the name of the group,
 * also if flags were written before it or if it was left out. A flag with its own value keeps that value. `help` becomes
 * the flag of the command that it names.
 */
export function arrangeWords(
  argv: readonly string[],
  entries: readonly (CommandEntry | CommandGroup)[],
): readonly string[] {
  const at = readWords(argv, globalFlags).find(({ flag }) => flag === null)?.at ?? argv.length;
  const entry = entries.find(({ name }) => name === argv[at]);
  if (entry === undefined) return argv;
  if (entry.name === helpCommand.name) return wordsOfHelp(argv.slice(at + 1), entries);
  if ("passesWords" in entry && entry.passesWords === true) return wordsToPass(argv, at);
  if (!("commands" in entry)) return withBareValues(argv, entry.flags);
  return [...argv.slice(0, at + 1), ...arrangeGroup(argv.slice(at + 1), entry)];
}

function wordsOfHelp(written: readonly string[], entries: readonly (CommandEntry | CommandGroup)[]): readonly string[] {
  const path: string[] = [];
  let known: readonly (CommandEntry | CommandGroup)[] = entries;
  for (const word of written.filter((one) => !one.startsWith("-"))) {
    const entry = known.find(({ name }) => name === word);
    if (entry === undefined) {
      const names = known.map(({ name }) => name);
      if (names.length > 0) throw unknownCommand(path.join(" "), names, word);
      throw new UsageError(`kindlm ${path.join(" ")} has no command "${word}"`, `See: kindlm help ${path.join(" ")}`);
    }
    path.push(word);
    known = "commands" in entry ? entry.commands : [];
  }
  // `help --help` asks for its own help.
  const isOwn = path.length === 0 && written.some((word) => word === "--help" || word === "-h");
  return isOwn ? [helpCommand.name, "--help"] : [...path, "--help"];
}

/** Behind `--`, nothing is a flag of ours. */
function wordsToPass(argv: readonly string[], at: number): readonly string[] {
  const [first, ...rest] = argv.slice(at + 1);
  if (first === undefined || first === "--help" || first === "-h") return argv;
  return [...argv.slice(0, at + 1), "--", ...(first === "--" ? rest : [first, ...rest])];
}

function arrangeGroup(words: readonly string[], { name, commands, byDefault }: CommandGroup): readonly string[] {
  const flags: Flags = Object.fromEntries(commands.flatMap((command) => Object.entries(command.flags)));
  const read = readWords(words, { ...globalFlags, ...flags });
  const place = read.find(({ flag }) => flag === null)?.at;
  const written = place === undefined ? byDefault : words[place];
  const called = commands.find((command) => command.name === written);
  const isAsking = read.some(({ at }) => /^(-h|--help|-V|--version)$/.test(words[at] ?? ""));
  // Commander shows the help and the version, and names a flag that nothing here knows.
  if (isAsking && (place === undefined || called === undefined)) return words;
  if (called === undefined && read[0]?.flag === "") return words;
  if (called === undefined)
    throw unknownCommand(
      name,
      commands.map((command) => command.name),
      written,
    );
  for (const [flag, declared] of Object.entries(flags)) {
    if (isAsking || Object.hasOwn(called.flags, flag) || !read.some((word) => word.flag === flag)) continue;
    const owners = commands.filter((command) => Object.hasOwn(command.flags, flag));
    const fix = `Commands with this option: ${owners.map((owner) => owner.name).join(", ")}`;
    throw new UsageError(`kindlm ${name} ${called.name} has no option ${longOf(flag, declared)}`, fix);
  }
  return withBareValues([called.name, ...words.filter((_, index) => index !== place)], called.flags);
}

function unknownCommand(group: string, known: readonly string[], written: string | undefined): UsageError {
  const list = `Commands: ${known.join(", ")}`;
  if (written === undefined) return new UsageError(`kindlm ${group} needs a command`, list);
  const path = ["kindlm", group, written].filter((word) => word !== "").join(" ");
  return new UsageError(`Unknown command "${path}"`, didYouMean(written, known) ?? list);
}

/** Whether the next word is the value of this one. */
export function takesNext(word: string, flags: Flags): boolean {
  const found = Object.entries(flags).find(([name, flag]) => isWritten(word, name, flag));
  return found !== undefined && found[1].value !== undefined && found[1].bare === undefined;
}

/** Each word that is not the value of a flag: the name of the flag, `""` for one that is unknown, null for an operand. */
function readWords(words: readonly string[], flags: Flags): readonly { at: number; flag: string | null }[] {
  const read: { at: number; flag: string | null }[] = [];
  const known = Object.entries(flags);
  let isOver = false;
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? "";
    if (word === "--" && !isOver) {
      isOver = true;
      continue;
    }
    const isFlag = !isOver && word.startsWith("-") && word !== "-";
    const [name = ""] = known.find(([key, flag]) => isWritten(word.replace(/=.*$/s, ""), key, flag)) ?? [];
    read.push({ at, flag: isFlag ? name : null });
    if (isFlag && takesNext(word, flags)) at += 1;
  }
  return read;
}

function isWritten(word: string, name: string, flag: Flag<unknown>): boolean {
  return word === longOf(name, flag) || (flag.short !== undefined && word === `-${flag.short}`);
}

function withBareValues(words: readonly string[], flags: Flags): readonly string[] {
  const bare = new Map(
    Object.entries(flags).flatMap(([name, flag]) =>
      flag.bare === undefined ? [] : [[longOf(name, flag), `${longOf(name, flag)}=${flag.bare}`] as const],
    ),
  );
  const end = words.indexOf("--");
  return words.map((word, index) => (end === -1 || index < end ? (bare.get(word) ?? word) : word));
}
