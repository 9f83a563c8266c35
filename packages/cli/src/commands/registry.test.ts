import { describe, expect, it } from "vitest";
import { arrangeWords } from "../arguments/arrange-words.js";
import { createProgram } from "../arguments/create-program.js";
import { commands } from "./registry.js";
import { globalFlags } from "./shared-flags.js";

const members = commands.flatMap((entry) =>
  "commands" in entry
    ? entry.commands.map((member) => ({ path: `${entry.name} ${member.name}`, ...member }))
    : [{ path: entry.name, ...entry }],
);

/** What commander makes of a line as a shell would split it: the arguments and the flags of the command. */
async function parse(line: string): Promise<{ args: readonly string[]; flags: unknown }> {
  let parsed: { args: readonly string[]; flags: unknown } | undefined;
  const program = createProgram({
    width: 100,
    asTyped: (text) => text,
    print: () => {},
    call: async (_, command) => {
      parsed = { args: command.args, flags: command.opts() };
    },
  });
  const words = (line.match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replaceAll('"', ""));
  const isHelp = words[0] === "help";
  await program.parseAsync(arrangeWords(words, commands), { from: "user" }).catch((cause: unknown) => {
    if (!isHelp) throw cause;
    expect(cause).toMatchObject({ code: "commander.helpDisplayed", exitCode: 0 });
    parsed = { args: [], flags: {} };
  });
  if (parsed === undefined) throw new Error(`"${line}" calls no command`);
  return parsed;
}

describe("the command table", () => {
  it.each([
    ...commands.map(({ name, summary }) => [`kindlm ${name}`, summary] as const),
    ...members.map(({ path, summary }) => [`kindlm ${path}`, summary] as const),
    ...Object.entries(globalFlags).map(([name, { help }]) => [name, help] as const),
    ...members.flatMap(({ path, flags }) =>
      Object.entries(flags).map(([name, { help }]) => [`${path}: ${name}`, help] as const),
    ),
  ])("has an imperative of at most 60 characters for %s", (_, help) => {
    expect(help).toMatch(/^[A-Z][a-z]+,? .*[^.\s]$/);
    expect(help).toMatch(/^(?!(?:The|A|An|Only|Which|How|What|Where)\b)/);
    expect(help.length).toBeLessThanOrEqual(60);
  });

  it.each(members.flatMap(({ path, examples }) => examples.map(([line]) => [path, line] as const)))(
    "has an example of %s that it takes: %s",
    async (path, line) => {
      const typed = line.replace(/^.*\| /, "").replace(/ > .*$/, "");
      expect(typed).toMatch(new RegExp(`^kindlm ${path.replace(/ list$/, "( list)?")}( |$)`));
      await expect(parse(typed.replace(/^kindlm ?/, ""))).resolves.toBeDefined();
    },
  );

  it.each(members.flatMap(({ path, examples }) => examples.map(([, does]) => [path, does] as const)))(
    "says in an imperative what an example of %s does: %s",
    (_, does) => expect(does).toMatch(/^[A-Z].*[^.]$/),
  );

  it.each(members.filter(({ groups }) => groups !== undefined))("puts each flag of $path into one group", (member) => {
    expect(
      Object.values(member.groups ?? {})
        .flat()
        .toSorted(),
    ).toEqual(Object.keys(member.flags).toSorted());
  });

  it.each(members)("gives $path what its flags are without being written", async ({ path, args = {}, flags }) => {
    const required = Object.keys(args).filter((written) => written.startsWith("<"));
    const parsed = await parse([path, ...required].join(" "));
    expect(parsed.flags).toEqual(Object.fromEntries(Object.entries(flags).map(([name, flag]) => [name, flag.absent])));
  });
});

describe("the words of a group", () => {
  it.each([
    ["runs", "runs list"],
    ["runs --json", "runs list --json"],
    ["--verbose runs --json show last", "--verbose runs show --json last"],
    ["runs --keep 20 prune --dry-run", "runs prune --keep 20 --dry-run"],
    ["-c runs runs --root show list", "-c runs runs list --root show"],
    ["baseline --note=list set", "baseline set --note=list"],
    ["runs show -- list", "runs show -- list"],
    ["baseline show -- --note", "baseline show -- --note"],
    ["runs -- show last", "runs show -- last"],
    ["runs --help", "runs --help"],
    ["runs --help show", "runs show --help"],
    ["runs show --keep 3 --help", "runs show --keep 3 --help"],
    ["runs shw --help", "runs shw --help"],
    ["runs --nope x show", "runs --nope x show"],
    ["runs --root -- show", "runs show --root --"],
    ["test --bail runs", "test --bail=1 runs"],
    ["test -- --bail", "test -- --bail"],
    ["tset --bail", "tset --bail"],
    ["--verbose server --port 1 --help", "--verbose server -- --port 1 --help"],
    ["server -- --help", "server -- --help"],
    ["server --help", "server --help"],
    ["test -t runs show", "test -t runs show"],
    ["help", "--help"],
    ["--no-color help runs show", "runs show --help"],
    ["help --help", "help --help"],
  ])("%s", (written, arranged) => {
    expect(arrangeWords(written.split(" "), commands).join(" ")).toBe(arranged);
  });
});
