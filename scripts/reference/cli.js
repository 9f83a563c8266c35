import { renderPage } from "./markdown.js";

/** docs/reference/cli.md: what `--help` prints, of the program, of each command and of each command of a group. */
export async function renderCli(commands, createProgram) {
  const sections = commands.flatMap(({ name, commands: members = [] }) => [
    { heading: `## kindlm ${name}`, words: [name] },
    ...members.map((member) => ({ heading: `### kindlm ${name} ${member.name}`, words: [name, member.name] })),
  ]);
  const helps = await Promise.all(sections.map(({ words }) => helpOf(createProgram, words)));
  return renderPage("Command line", [
    fenced(await helpOf(createProgram, [])),
    ...sections.flatMap(({ heading }, index) => [heading, fenced(helps[index])]),
  ]);
}

async function helpOf(createProgram, words) {
  const printed = [];
  const print = (text) => printed.push(text);
  const program = createProgram({ width: 100, asTyped: (text) => text, print, call: () => {} });
  await program.parseAsync([...words, "--help"], { from: "user" }).catch((error) => {
    if (error.exitCode !== 0) throw error;
  });
  return printed.join("").trimEnd();
}

const fenced = (text) => `\`\`\`text\n${text}\n\`\`\``;
