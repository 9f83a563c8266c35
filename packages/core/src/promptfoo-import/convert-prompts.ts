import { attemptSync } from "../errors/boundary.js";
import { isRecord } from "../values/json.js";
import { convertText } from "./convert-text.js";
import type { Findings } from "./findings.js";
import type { Names } from "./names.js";
import { readYaml } from "./source/read-yaml.js";
import type { SourceFolder } from "./source/source-folder.js";
import { listOf, stringOf, type SourceNode } from "./source/source-node.js";

/** One prompt, as a suite has it: what the system says, and what its tests say. */
export interface ConvertedPrompt {
  name: string;
  comments: readonly string[];
  system: string | null;
  /** `{ input }` or `{ messages }` of each test. */
  said: Readonly<Record<string, unknown>>;
}

interface World {
  findings: Findings;
  folder: SourceFolder;
  names: Names;
}

/** Converts `prompts`: strings, files, and messages in JSON or YAML. */
export async function convertPrompts(node: SourceNode | null, world: World): Promise<readonly ConvertedPrompt[]> {
  const prompts: ConvertedPrompt[] = [];
  for (const prompt of listOf(node)) prompts.push(...(await convertPrompt(prompt, world)));
  return prompts;
}

async function convertPrompt(node: SourceNode, world: World): Promise<readonly ConvertedPrompt[]> {
  const raw = stringOf(node) ?? stringOf(node.get("raw")) ?? stringOf(node.get("id"));
  const label = stringOf(node.get("label")) ?? stringOf(node.get("id"));
  if (raw === null) {
    world.findings.add(node, "an empty prompt was left out");
    return [];
  }
  const isFile =
    raw.startsWith("file://") || /^[^\s{}]+\.(?:txt|md|json|ya?ml|j2|csv|[cm]?[jt]s|py)(?::\w+)?$/.test(raw);
  if (!isFile) return [promptOf(raw, label, node, world)];
  const files = await world.folder.find(raw);
  const found: ConvertedPrompt[] = [];
  for (const file of files) {
    const shown = world.folder.shown(file);
    const name = label ?? shown.replace(/^.*\//, "").replace(/\.\w+$/, "");
    if (/\.(?:[cm]?[jt]s|py|csv)(?::\w+)?$/.test(file)) {
      const text = `Write here what ${shown} makes of its variables.`;
      const comment = world.findings.add(node, `the prompt ${shown} is code or a table: write its text`);
      found.push({ ...promptOf(text, name, node, world), comments: [comment] });
      continue;
    }
    const read = await world.folder.text(file);
    if (!read.success) {
      const comment = world.findings.add(node, `${shown} ${read.error}`);
      found.push({ ...promptOf(`The text of ${shown}`, name, node, world), comments: [comment] });
      continue;
    }
    const texts = /\.(?:json|ya?ml)$/.test(file) ? [read.data] : read.data.split(/^---\s*$/m);
    for (const text of texts.filter((part) => part.trim() !== "")) found.push(promptOf(text, name, node, world));
  }
  if (files.length === 0) world.findings.add(node, `no file matches ${raw}`);
  return found;
}

function promptOf(text: string, label: string | null, node: SourceNode, { findings, names }: World): ConvertedPrompt {
  const comments = [node.comment];
  const convert = (part: string): string => {
    const converted = convertText(part, node, findings);
    comments.push(...converted.comments);
    return converted.text;
  };
  const name = names.unique(label ?? "prompt");
  const messages = messagesIn(text);
  if (messages === null) return { name, comments, system: null, said: { input: convert(text.trim()) } };
  const isSystem = ({ role }: ChatMessage): boolean => role === "system" || role === "developer";
  const system = messages.filter(isSystem).map(({ content }) => convert(content));
  const rest = messages.filter((message) => !isSystem(message));
  const written = rest.map(({ role, content }) => ({ role, content: convert(content) }));
  const [only, ...more] = written;
  const said =
    more.length === 0 && only?.role === "user"
      ? { input: only.content }
      : written.at(-1)?.role === "user"
        ? { messages: written }
        : null;
  if (said === null) comments.push(findings.add(node, "the messages do not end with one of the user"));
  return { name, comments, system: system.length === 0 ? null : system.join("\n\n"), said: said ?? { input: "…" } };
}

interface ChatMessage {
  role: string;
  content: string;
}

/** The messages that a prompt holds as JSON or YAML; null if it is plain text. */
function messagesIn(text: string): readonly ChatMessage[] | null {
  const start = text.trimStart();
  if (!/^(?:\[|\{|- )/.test(start)) return null;
  // Placeholders outside of strings are not valid JSON.
  const json = attemptSync(
    (): unknown => JSON.parse(text),
    () => null,
  );
  const yaml = json.success ? null : readYaml(text, "");
  const value = json.success ? json.data : yaml?.success === true ? yaml.data.value : null;
  if (!Array.isArray(value) || value.length === 0) return null;
  const messages = value.flatMap((one: unknown): ChatMessage[] => {
    if (!isRecord(one) || typeof one["role"] !== "string") return [];
    const { role, content } = one;
    return [{ role, content: typeof content === "string" ? content : textOf(content) }];
  });
  return messages.length === value.length ? messages : null;
}

function textOf(content: unknown): string {
  if (!Array.isArray(content)) return JSON.stringify(content) ?? "";
  return content
    .map((part: unknown) => (isRecord(part) && typeof part["text"] === "string" ? part["text"] : ""))
    .join("\n");
}
