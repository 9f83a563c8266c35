import { plural } from "../../values/plural.js";
import path from "node:path";
import type { AssertionReference } from "../../assertions/define-assertion.js";
import type { ParsedAssertion } from "../../assertions/parsed-assertion.js";
import { compileSchema } from "../../json-schema/compile-schema.js";
import { didYouMean } from "../../values/nearest-name.js";
import { matchesNameGlob } from "../../values/name-glob.js";
import { renderPath } from "../../values/preview.js";
import { findReference, resolveReference } from "../file-references.js";
import { report, type Section } from "../source/section.js";
import type { Path } from "../source/written.js";
import { reportSchemaSlips } from "./report-schema-slips.js";
import type { KnownTools } from "./resolve-tools.js";
import type { AuxiliaryRoles } from "./create-auxiliary-roles.js";
import type { SuiteScope } from "./suite-scope.js";

export interface ReferenceCheck {
  scope: SuiteScope;
  /** The assertion as it is written. */
  section: Section;
  tools: KnownTools;
  /** IDs of templates and names of skills; null if the test has none. */
  named: Readonly<Record<NameReference["kind"], readonly string[] | null>>;
  userTurns: number;
  hasSimulatedUser: boolean;
  /** It is set under a turn of a conversation, and looks at that turn alone. */
  isOfUserTurn: boolean;
  /** It is set under `retry_until`. */
  steers: boolean;
  asked: AuxiliaryRoles;
  /** Such as `suite "order-agent", test "happy-path"`. */
  where: string;
}

/** Checks what an assertion points at. Resolves immediately if it names no file. */
export function checkReferences(assertion: ParsedAssertion, check: ReferenceCheck): Promise<void>[] {
  return visit(assertion, [], check);
}

function visit(assertion: ParsedAssertion, at: Path, check: ReferenceCheck): Promise<void>[] {
  if (assertion.userTurn !== undefined && assertion.userTurn > check.userTurns) {
    const turns = plural(check.userTurns, "user turn");
    report(check.section, {
      path: [...at, "user_turn"],
      message: `"user_turn" is ${assertion.userTurn}, but the test has ${turns}`,
    });
  }
  checkAgent(assertion, at, check);
  const isOfUserTurn = check.isOfUserTurn || assertion.userTurn !== undefined;
  if (assertion.form === "group") {
    const listKey = assertion.type === "at_least" ? "of" : assertion.type;
    return assertion.members.flatMap((member, index) =>
      visit(member, [...at, listKey, index], { ...check, isOfUserTurn }),
    );
  }
  if (isOfUserTurn && assertion.definition.spansUserTurns === true) {
    report(check.section, {
      path: [...at, "type"],
      message: `"${assertion.type}" reads the whole conversation, so it cannot look at one user turn alone`,
      hint: "Put it under assert: of the test, without user_turn",
    });
  }
  if (assertion.definition.needsSimulatedUser === true && !check.hasSimulatedUser) {
    report(check.section, {
      path: [...at, "type"],
      message: `"${assertion.type}" is about a simulated user, and test ${check.where.replace(/^.*, test /, "")} has none`,
      hint: "Put it into the tests with simulated_user:",
    });
  }
  return assertion.references.flatMap((reference) => {
    const place = [...at, ...reference.path];
    switch (reference.kind) {
      case "tool":
        checkTool(reference, !assertion.not, place, check);
        return [];
      case "template":
      case "skill":
        checkName(reference, !assertion.not, place, check);
        return [];
      case "schema":
        checkSchema(reference.schema, place, check);
        return [];
      case "schema_file":
        return [checkSchemaFile(reference.file, place, check)];
      case "module":
        return [checkModule(reference.file, place, check)];
      case "judge":
        check.asked.judges.add(reference.model, check.steers, check.section, place);
        return [];
      case "embedder":
        check.asked.embedders.add(reference.model, check.steers, check.section, place);
        return [];
      default:
        return [];
    }
  });
}

/** A model has no agents but those that it delegates to; the names of others are known when they answer. */
function checkAgent({ agent, ...assertion }: ParsedAssertion, at: Path, { section, named }: ReferenceCheck): void {
  if (agent === undefined) return;
  const templates = named.template;
  if (assertion.form === "check" && assertion.definition.spansAgents === true) {
    const message = `"${assertion.type}" is about several agents, so it cannot look at one alone`;
    report(section, { path: [...at, "agent"], atKey: true, message, hint: "Name the agents with from and to" });
  } else if (templates !== null && !templates.includes(agent)) {
    const hint = didYouMean(agent, templates) ?? `There is: ${templates.join(", ")}`;
    const message = `No agent template of the test is named "${agent}"`;
    report(section, { path: [...at, "agent"], severity: "warning", message, hint });
  }
}

type ToolReference = Extract<AssertionReference, { kind: "tool" }>;

function checkTool(
  { name, needed, isGlob = false }: ToolReference,
  isWanted: boolean,
  place: Path,
  check: ReferenceCheck,
): void {
  const { section } = check;
  const { names: tools, areAll } = check.tools;
  // A tool that is not known by name yet may be the one that is meant. The glob of all tools is about invented ones too.
  if (!areAll || (isGlob && /^\*+$/.test(name))) return;
  if (tools.some((tool) => (isGlob ? matchesNameGlob(name, tool) : name === tool))) return;
  const listed = tools.length > 0 ? `Tools of the test: ${tools.join(", ")}` : "The suite defines no tools";
  const hint = didYouMean(name, tools) ?? listed;
  if (isGlob) {
    const message = `No tool of the test matches "${name}", so the assertion finds no call of it`;
    report(section, { path: place, severity: "warning", message, hint });
  } else if (needed && isWanted) {
    report(section, { path: place, message: `No tool of the test is named "${name}"`, hint });
  } else {
    const message = `No tool of the test is named "${name}", so it is never called`;
    report(section, { path: place, severity: "warning", message, hint });
  }
}

type NameReference = Extract<AssertionReference, { kind: "template" | "skill" }>;

const nouns: Readonly<Record<NameReference["kind"], readonly [string, string]>> = {
  template: ["agent template", "nothing is ever delegated to it"],
  skill: ["skill", "it is never loaded"],
};

function checkName({ kind, name, needed }: NameReference, isWanted: boolean, place: Path, check: ReferenceCheck): void {
  const names = check.named[kind];
  if (names === null || names.includes(name)) return;
  const [noun, consequence] = nouns[kind];
  const hint = didYouMean(name, names) ?? `There is: ${names.join(", ")}`;
  const message = `No ${noun} of the test is named "${name}"`;
  if (needed && isWanted) report(check.section, { path: place, message, hint });
  else report(check.section, { path: place, severity: "warning", message: `${message}, so ${consequence}`, hint });
}

function checkSchema(schema: Parameters<typeof compileSchema>[0], place: Path, check: ReferenceCheck): void {
  const compiled = compileSchema(schema);
  if (compiled.success) return reportSchemaSlips(check.section, place, schema);
  report(check.section, {
    code: "SCHEMA_FILE_ERROR",
    path: place,
    message: compiled.error.message,
    referencedIn: check.where,
  });
}

async function checkSchemaFile(file: string, place: Path, check: ReferenceCheck): Promise<void> {
  const { scope, section } = check;
  const reference = { section, path: place, written: file, referencedIn: check.where };
  const absolute = resolveReference(reference, scope.access);
  if (!absolute.success) return section.findings.add(absolute.error);
  const loaded = await scope.loadSchema(absolute.data);
  if (loaded.success) {
    for (const { path: at, message, hint } of loaded.data.slips?.() ?? []) {
      report(section, { path: place, severity: "warning", message: `${file}: ${message} (${renderPath(at)})`, hint });
    }
    return;
  }
  report(section, {
    code: "SCHEMA_FILE_ERROR",
    path: place,
    message: loaded.error.message.replaceAll(absolute.data, file),
    referencedIn: check.where,
    subject: file,
  });
}

async function checkModule(file: string, place: Path, check: ReferenceCheck): Promise<void> {
  const { scope, section } = check;
  const label = `Module "${path.normalize(file)}"`;
  const reference = { section, path: place, written: file, label, referencedIn: check.where };
  const found = await findReference(reference, scope.access);
  if (!found.success) section.findings.add(found.error);
}
