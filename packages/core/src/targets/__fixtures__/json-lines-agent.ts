/** A program that talks in JSON lines; the body is called for each message with `say`. */
export const liner = (body: string): string => `
  import { createInterface } from "node:readline";
  const say = (message) => process.stdout.write(JSON.stringify(message) + "\\n");
  const state = {};
  const take = async (m) => { ${body} };
  for await (const line of createInterface({ input: process.stdin })) await take(JSON.parse(line));`;

/** The target of such a program, `agent.mjs`. */
export const lines = `{ command: [node, agent.mjs], protocol: json_lines }`;

/** What it does when the user says something. */
export const said = (text: string): string => `if (m.type === "user") { ${text} }`;
