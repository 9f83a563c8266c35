import path from "node:path";
import { definitionOf, type ProgramTarget } from "../../targets/registry.js";
import { expandEnv, reportMissing } from "../expand-env.js";
import { findReference } from "../file-references.js";
import { reportSecrets } from "../resolve-providers.js";
import type { DatasetRow, ResolvedTest, TestInput } from "../resolved-config.js";
import { report, subsection, type Section } from "../source/section.js";
import type { UserMessage } from "../../transcript/message.js";
import { isRecord, type JsonValue } from "../../values/json.js";
import { didYouMean } from "../../values/nearest-name.js";
import type { McpTargetConfig } from "../../targets/mcp/mcp-target-schema.js";
import { checkPlaceholders } from "./check-placeholders.js";
import type { KnownTools } from "./resolve-tools.js";
import type { SuiteScope } from "./suite-scope.js";

/** What a suite or test is about, with the place where that is written; null for a model. */
export interface WrittenTarget {
  target: ProgramTarget;
  section: Section;
}

/** Reads `target:` of a suite or test. `section` is the suite or test; undefined where the key is not there. */
export async function resolveTarget(
  section: Section,
  written: "model" | ProgramTarget | undefined,
  referencedIn: string,
  scope: SuiteScope,
): Promise<WrittenTarget | null | undefined> {
  if (written === undefined) return undefined;
  if (written === "model") return null;
  const raw = isRecord(section.value) ? section.value["target"] : undefined;
  const own = subsection(section, ["target"], raw);
  reportSecrets(own);
  const expanded = expandEnv(written, scope.env);
  for (const used of expanded.read) scope.secretNames.add(used.name);
  reportMissing(own, [], expanded);
  const target = expanded.value;
  const definition = definitionOf(target);
  if (target.kind === "http" && expanded.missing.length === 0 && !/^(https?:\/\/|\{\{)/i.test(target.url)) {
    report(own, { path: ["url"], message: `"url" is not an HTTP address`, hint: "Start it with http:// or https://" });
  }
  for (const file of definition.files(target)) {
    const reference = { section: own, path: file.path, written: file.file, referencedIn, label: labelOf(file.file) };
    const found = await findReference(reference, scope.access);
    if (!found.success) own.findings.add(found.error);
  }
  const folder = path.dirname(section.document.source.path);
  return { target: definition.resolvePaths(target, (file) => path.resolve(folder, file)), section: own };
}

/** Whether a test can do without a message of the user. */
export function isInputOptional(
  own: "model" | ProgramTarget | undefined,
  ofSuite: Pick<WrittenTarget, "target"> | null | undefined,
): boolean {
  const target = own ?? ofSuite?.target ?? "model";
  return target !== "model" && definitionOf(target).input === "optional";
}

function labelOf(file: string): string {
  return `Target "${path.normalize(file)}"`;
}

export interface TargetUse {
  written: WrittenTarget;
  /** The test. */
  section: Section;
  /** As it is written. */
  test: Readonly<Record<string, unknown>>;
  input: TestInput;
  /** Those of the test. */
  tools: KnownTools;
  vars: Readonly<Record<string, JsonValue>>;
  workspace: Pick<ResolvedTest, "workspace">;
  mcpServers: ResolvedTest["mcpServers"];
  /** Undefined when they cannot be read, which is reported elsewhere. */
  rows: readonly DatasetRow[] | null | undefined;
}

/** Reports what of a test its target cannot do. */
export function checkTargetUse(use: TargetUse): void {
  const { written, section, test, input, tools, vars, rows, workspace } = use;
  const { target } = written;
  const definition = definitionOf(target);
  const hasWorkspace = workspace.workspace !== undefined;
  const key = ["conversation", "messages", "input"].find((name) => test[name] !== undefined) ?? "name";
  const refused = definition.refuses(target, shapeOf(input));
  if (refused !== null) {
    const hint = "Use protocol: json_lines or a module, which get messages as they are";
    report(section, { path: [key], atKey: true, message: refused, ...(target.kind === "module" ? {} : { hint }) });
  }
  for (const name of ["models", "params"]) {
    if (target.proxy || test[name] === undefined) continue;
    report(section, {
      path: [name],
      atKey: true,
      message: `"${name}" has no effect: the target uses no model of the config`,
      hint:
        target.kind === "http" || target.kind === "mcp"
          ? "Remove it"
          : "Remove it, or add proxy: true to the target, so its requests go through KindLM",
    });
  }
  if (target.runsTools && tools.areAll && tools.names.length === 0) {
    report(section, {
      path: ["name"],
      severity: "warning",
      message: '"run_tools" of the target has no effect: the test defines no tools',
      hint: "Add tools: to the suite, under the names that the agent gives its own",
    });
  }
  reportLateRetries(section, test["conversation"]);
  if (target.kind === "mcp") checkMcpTarget(use, target);
  if (!hasWorkspace && definition.needsWorkspace === true) {
    const message = "The target works on files, so the test needs a workspace";
    const hint = "Add workspace: to the suite or the test, such as workspace: { from: fixtures/project }";
    report(section, { path: ["name"], message, hint });
  }
  if (hasWorkspace) reportFolder({ ...written.section, findings: section.findings }, target);
  if (rows === undefined) return;
  const isThere = (name: string): boolean =>
    name === "workspace"
      ? hasWorkspace
      : name !== "input" || definition.input !== "optional" || test[name] !== undefined;
  const names = definition.placeholders.filter(isThere);
  const own = Object.fromEntries(names.map((name) => [name, ""]));
  const at = { value: written.section.value, section: { ...written.section, findings: section.findings }, path: [] };
  if (definition.placeholders.length > 0) checkPlaceholders([at], { ...vars, ...own }, rows, section.findings);
}

/** A server is called once, without a conversation. */
function checkMcpTarget({ section, test, written, mcpServers }: TargetUse, target: McpTargetConfig): void {
  for (const key of ["messages", "conversation", "simulated_user", "retry_until"]) {
    if (test[key] === undefined) continue;
    const hint = "Put values for its arguments in input, rows or vars";
    report(section, { path: [key], atKey: true, message: `"${key}" cannot be combined with an MCP target`, hint });
  }
  const names = mcpServers.map(({ name }) => name);
  if (names.includes(target.server)) return;
  report(
    { ...written.section, findings: section.findings },
    {
      path: ["mcp"],
      message: `MCP server "${target.server}" not found`,
      hint:
        didYouMean(target.server, names) ??
        (names.length === 0
          ? "Add mcp_servers: to the suite or the test, with a server of this name"
          : `Servers: ${names.join(", ")}`),
    },
  );
}

/** A program with a workspace runs in it. */
function reportFolder(target: Section, { kind }: ProgramTarget): void {
  if (kind !== "command" || !isRecord(target.value) || target.value["cwd"] === undefined) return;
  report(target, {
    path: ["cwd"],
    atKey: true,
    message: '"cwd" of the target cannot be combined with a workspace: the program runs in the workspace',
    hint: "Remove cwd and name files of the agent by ./path in the command, or set workspace: false",
  });
}

/** A program keeps the conversation itself: KindLM can only restart it. */
function reportLateRetries(section: Section, conversation: unknown): void {
  if (!Array.isArray(conversation)) return;
  for (const [index, turn] of conversation.entries()) {
    if (index === 0 || !isRecord(turn) || turn["retry_until"] === undefined) continue;
    report(section, {
      path: ["conversation", index, "retry_until"],
      atKey: true,
      message: "This target keeps the conversation itself, so only its first answer can be rolled back and tried again",
      hint: "Put retry_until under the first turn, or test the model itself: target: model",
    });
  }
}

function shapeOf(input: TestInput): { hasHistory: boolean; hasImages: boolean; endsWithUser: boolean } {
  if (input.kind === "conversation") {
    return { hasHistory: false, hasImages: input.userTurns.some(holdsImage), endsWithUser: true };
  }
  const { messages } = input;
  const hasImages = messages.some((message) => message.role === "user" && holdsImage(message));
  // Without any message a simulated user begins.
  const endsWithUser = messages.length === 0 || messages.at(-1)?.role === "user";
  return { hasHistory: messages.length > 1, hasImages, endsWithUser };
}

function holdsImage({ content }: Pick<UserMessage, "content">): boolean {
  return typeof content !== "string" && content.some((part) => part.type === "image");
}
