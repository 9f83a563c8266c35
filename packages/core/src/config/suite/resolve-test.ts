import type { DatasetRow, ResolvedTest } from "../resolved-config.js";
import { datasetReference, inlineRows, type LoadedRows } from "../dataset/load-dataset.js";
import type { WrittenTest } from "../schema/suite-schema.js";
import { placeOf, report, type Section } from "../source/section.js";
import { resolveSettings } from "../settings/test-settings.js";
import type { JsonValue } from "../../values/json.js";
import { limitsOf, paramsOf, timeoutsOf } from "../written-settings.js";
import { caseScope, checkPlaceholders, type TemplateText } from "./check-placeholders.js";
import { reportTextNumbers } from "./text-numbers.js";
import { checkAgentModels } from "./resolve-agents.js";
import { checkPermissions } from "./check-permissions.js";
import { checkReferences, type ReferenceCheck } from "./check-references.js";
import { prepareAssertions, probeAssertion, type PreparedAssertion } from "./prepare-assertions.js";
import { resolveOnToolError, resolveState, stateTexts } from "./resolve-tool-failures.js";
import { resolveAttacks } from "./resolve-attacks.js";
import { resolveMcpServers } from "./resolve-mcp-servers.js";
import type { KnownTools } from "./resolve-tools.js";
import { checkFeedback, resolveRetries } from "./resolve-retries.js";
import { resolveInput } from "./resolve-input.js";
import type { SuiteScope } from "./suite-scope.js";
import { namedModels } from "./tested-models.js";
import { createAuxiliaryRoles } from "./create-auxiliary-roles.js";
import { resolveSimulatedUser, simulatedUserTexts } from "./resolve-simulated-user.js";
import { resolveFolders } from "./resolve-skills.js";
import { resolveRuns, type RunsLevel } from "./resolve-runs.js";
import { checkTargetUse, resolveTarget, type TargetUse, type WrittenTarget } from "./resolve-target.js";
import type { TestScope } from "./test-scope.js";

type Vars = Readonly<Record<string, JsonValue>>;

/** One test with every value looked up. `section` is the test; what is wrong with it is reported. */
export async function resolveTest(section: Section, test: WrittenTest, shared: TestScope): Promise<ResolvedTest> {
  const { scope, suite } = shared;
  const where = `suite "${suite.name}", test "${test.name}"`;
  const input = await resolveInput(section, test, scope.access, shared.target);
  const { rows, textNumbers } = await rowsOf(section, test, where, scope);
  const retries = resolveRetries(section, test);
  const own = prepareAssertions(section, ["assert"], test.assert);
  const assertions = [...own, ...shared.assertions, ...scope.defaultAssertions];
  checkAssertionCount(section, test, assertions.length + input.assertions.length + retries.checks);
  const settings = resolveSettings({ test, suite, defaults: scope.written.defaults, config: scope.written });
  const { vars } = settings;
  const mcpServers = resolveMcpServers(section, test.mcp_servers, scope, shared.mcpServers);
  const tools = withServers(shared.reachable, mcpServers.length > 0 || test.mcp_servers !== undefined);
  const folders = await resolveFolders(section, test, where, shared);
  const use = { section, test: { ...test }, input: input.input, tools, vars, rows, workspace: folders, mcpServers };
  const target = await targetOf(use, test, where, shared);
  const models = modelsOf(section, test, target, shared);
  checkAgentModels(section, shared.agents, target?.target.proxy !== false);
  const simulatedUser = resolveSimulatedUser(section, test, models, scope);
  const asked = createAuxiliaryRoles(section, test, models, shared);
  const limits = limitsOf([test.limits, suite.limits, scope.written.limits]);
  const faults = resolveAttacks(section, test, { ...shared, tools }, limits, target?.target ?? null);
  await checkTexts(
    {
      section,
      where,
      userTurns: input.userTurns,
      hasSimulatedUser: test.simulated_user !== undefined,
      tools: knownTo(target, tools),
      named: {
        template: shared.agents?.templates.map(({ id }) => id) ?? null,
        skill: folders.skills?.skills.map(({ name }) => name) ?? null,
      },
      vars,
      rows,
      asked,
    },
    shared,
    [
      ...input.texts,
      ...retries.texts,
      ...simulatedUserTexts(section, test),
      ...stateTexts(section, test, shared),
      ...checkPermissions(section, test, shared, { ...tools, areOfAgent: target !== null }),
      ...shared.agentTexts,
    ],
    [...input.assertions, ...retries.assertions, ...assertions, ...faults.assertions],
  );
  reportTextNumbers(textNumbers, [...input.assertions, ...assertions], section);
  checkFeedback(retries, vars, rows, section.findings);
  checkFlags(section, test, scope.isCi);
  return {
    name: test.name,
    position: placeOf(section, ["name"]).position ?? null,
    ...settings,
    models,
    target: target?.target ?? null,
    prompts: shared.prompts.variants,
    rows: rows ?? null,
    textNumbers,
    input: input.input,
    simulatedUser,
    judges: asked.judges.found,
    embedders: asked.embedders.found,
    ...retries.settings,
    assertions: assertions.map((assertion) => assertion.template),
    assertionPositions: [...input.assertions, ...assertions].flatMap(({ position }) => position ?? []),
    ...resolveRuns(levelsOf(section, test, shared), test.name),
    params: paramsOf(test.params),
    tools: shared.tools.configs,
    ...(shared.agents === null ? {} : { agents: shared.agents }),
    mcpServers,
    onToolError: resolveOnToolError(section, test, shared, [...input.assertions, ...assertions], limits),
    ...faults.settings,
    state: resolveState(test, suite),
    ...folders,
    limits,
    timeouts: { ...scope.timeouts, ...timeoutsOf(suite.timeouts), ...timeoutsOf(test.timeouts) },
  };
}

/** An agent with its own tools may call tools that the test does not define. */
function knownTo(target: WrittenTarget | null, tools: KnownTools): KnownTools {
  return target === null ? tools : { ...tools, areAll: false };
}

/** Servers bring tools whose names are not known before they are asked. */
function withServers({ names, areAll }: KnownTools, hasServers: boolean): KnownTools {
  return { names, areAll: areAll && !hasServers };
}

function checkAssertionCount(section: Section, { name }: WrittenTest, count: number): void {
  if (count > 0) return;
  report(section, {
    path: ["name"],
    message: `Test "${name}" has no assertion`,
    hint: "Add assert: to the test, to its suite or to defaults",
  });
}

async function targetOf(
  use: Omit<TargetUse, "written">,
  test: WrittenTest,
  where: string,
  shared: TestScope,
): Promise<WrittenTarget | null> {
  const own = await resolveTarget(use.section, test.target, where, shared.scope);
  const target = (own === undefined ? shared.target : own) ?? null;
  if (target !== null) checkTargetUse({ ...use, written: target });
  return target;
}

function modelsOf(
  section: Section,
  test: WrittenTest,
  target: WrittenTarget | null,
  { scope, models }: TestScope,
): ResolvedTest["models"] {
  if (target?.target.proxy === false) return [];
  return test.models === undefined ? models : namedModels(section, ["models"], test.models, scope.models);
}

/** Rows are null for a test without a dataset, undefined for one whose dataset cannot be read, which is reported. */
async function rowsOf(
  section: Section,
  test: WrittenTest,
  referencedIn: string,
  scope: SuiteScope,
): Promise<Pick<LoadedRows, "textNumbers"> & { rows: LoadedRows["rows"] | null | undefined }> {
  if (test.rows !== undefined && test.dataset !== undefined) {
    report(section, { path: ["rows"], atKey: true, message: '"rows" and "dataset" cannot be combined' });
  }
  if (test.rows === undefined && test.dataset === undefined) return { rows: null, textNumbers: [] };
  const loaded =
    test.dataset === undefined
      ? inlineRows(section, test.rows ?? [])
      : await scope.loadRows(datasetReference(section, test.dataset, referencedIn));
  if (loaded.success) return loaded.data;
  section.findings.add(...loaded.error);
  return { rows: undefined, textNumbers: [] };
}

interface CheckedTest extends Omit<ReferenceCheck, "scope" | "isOfUserTurn" | "steers"> {
  vars: Vars;
  rows: readonly DatasetRow[] | null | undefined;
}

async function checkTexts(
  test: CheckedTest,
  shared: TestScope,
  texts: readonly TemplateText[],
  assertions: readonly PreparedAssertion[],
): Promise<void> {
  const { section, where, userTurns, hasSimulatedUser, tools, named, vars, rows, asked } = test;
  const { findings } = section;
  const written = assertions.flatMap(({ template, section: at, isTemplate }): TemplateText[] =>
    isTemplate ? [{ value: template.raw, section: at, path: [] }] : [],
  );
  // Without its dataset, every name that is a column would be reported as unknown.
  if (rows !== undefined) checkPlaceholders([...texts, ...shared.prompts.texts, ...written], vars, rows, findings);
  const probe = caseScope(vars, rows?.[0] ?? null);
  const { scope } = shared;
  const reading: Promise<void>[] = [];
  for (const prepared of assertions) {
    const at = { ...prepared.section, findings };
    const parsed = probeAssertion({ ...prepared, section: at }, probe);
    if (parsed === null) continue;
    const { isOfUserTurn = false, steers = false } = prepared;
    // Written out: for each of very many assertions, copying what is known of the test takes longer than the check.
    reading.push(
      ...checkReferences(parsed, {
        scope,
        section: at,
        tools,
        named,
        userTurns,
        hasSimulatedUser,
        isOfUserTurn,
        steers,
        asked,
        where,
      }),
    );
  }
  if (reading.length > 0) await Promise.all(reading);
}

/** Reports settings of a test that conflict with where it runs, or with each other. */
function checkFlags(section: Section, test: WrittenTest, isCi: boolean): void {
  if (test.only === true && isCi) {
    report(section, {
      path: ["only"],
      message: `Test "${test.name}" says "only: true", which would leave out the others in CI`,
      hint: "Remove it, or choose tests with -t",
    });
  }
  if (test.critical === true && test.allow_failure !== undefined) {
    report(section, {
      path: ["critical"],
      atKey: true,
      severity: "warning",
      message: `"critical" has no effect on test "${test.name}": "allow_failure" lets it fail`,
      hint: "Remove one of the two",
    });
  }
}

function levelsOf(section: Section, test: WrittenTest, { scope, suite, section: ofSuite }: TestScope): RunsLevel[] {
  const { findings } = section;
  return [
    { section, path: [], written: test },
    { section: { ...ofSuite, findings }, path: [], written: suite },
    { section: { ...scope.section, findings }, path: ["defaults"], written: scope.written.defaults },
  ];
}
