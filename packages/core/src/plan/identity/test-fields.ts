import type {
  AssertionTemplate,
  ResolvedSimulatedUser,
  ResolvedTest,
  RetryUntil,
} from "../../config/resolved-config.js";
import { settingFields } from "../../config/settings/test-settings.js";
import type { McpServerConfig, ToolConfig } from "../../tools/tool-config.js";
import { hashOnce } from "./content-hash.js";
import { ignored, ofSetup, partOf, type Fields, ofAgent, type FieldParts } from "../../config/settings/field-parts.js";
import type { IdentityView } from "./identity-view.js";
import type { ResolvedAgents } from "../../config/resolved-agents.js";
import { createToolParts, type ToolParts } from "./tool-parts.js";
import type { WorkspaceConfig } from "../../workspace/workspace-config.js";
import type { ProgramTarget } from "../../targets/registry.js";

/** The model itself counts as the case has it. */
const userFields: Fields<ResolvedSimulatedUser> = {
  model: ignored,
  persona: ofSetup,
  goal: ofSetup,
  knows: ofSetup,
  maxTurns: ofSetup,
  stop: ofSetup,
};

/** Every key of a test with what it can change. What its cases differ in counts with each case. */
export function createTestFields(view: IdentityView): Fields<ResolvedTest> {
  const { ofTool, ofServer } = createToolParts(view);
  // Tests share the lists of their suite.
  const toolsOfAgent = hashOnce((tools: readonly ToolConfig[]) => tools.map((tool) => ofTool(tool, "agent")));
  const toolsOfSetup = hashOnce((tools: readonly ToolConfig[]) => tools.map((tool) => ofTool(tool, "setup")));
  const serversOfAgent = hashOnce((list: readonly McpServerConfig[]) => list.map((one) => ofServer(one, "agent")));
  const serversOfSetup = hashOnce((list: readonly McpServerConfig[]) => list.map((one) => ofServer(one, "setup")));
  const rawOf = hashOnce(({ raw }: AssertionTemplate) => raw);
  const ofAssertions: OfAssertions = (list, test) =>
    list.map((template) => [rawOf(template), view.contentsOf(view.files.ofAssertion(template, test))]);

  const targetOf = hashOnce(createTargetPart(view));
  return {
    ...settingFields,
    name: ignored,
    // Its id is part of the id of the case, and what it lays over the suite counts where it is.
    arm: ignored,
    position: ignored,
    models: ignored,
    target: { agent: (target) => (target === null ? null : targetOf(target)) },
    prompts: ignored,
    rows: ignored,
    textNumbers: ignored,
    input: {
      setup: (input) => (input.kind === "messages" ? input.messages : input.userTurns.map(({ content }) => content)),
      scoring: (input, test) =>
        (input.kind === "messages" ? [] : input.userTurns).flatMap(({ assertions }, turn) =>
          assertions.length === 0 ? [] : [[turn, ofAssertions(assertions, test)]],
        ),
    },
    simulatedUser: { setup: (user) => (user === null ? null : partOf(user, userFields, "setup")) },
    // The models themselves count as the case has them.
    judges: ignored,
    embedders: ignored,
    ...furtherAssertionFields(ofAssertions),
    assertions: { scoring: ofAssertions },
    assertionPositions: ignored,
    runs: ignored,
    maxRuns: ignored,
    // As a share, since more trials of the same check can be compared with fewer.
    pass: { pass: (pass, { runs }) => (pass === null ? 1 : pass / runs) },
    params: ignored,
    tools: { agent: toolsOfAgent, setup: toolsOfSetup },
    mcpServers: { agent: serversOfAgent, setup: serversOfSetup },
    onToolError: ofSetup,
    faultVariants: ignored,
    state: ofSetup,
    ...surroundingFields(view, ofTool),
    limits: ignored,
    timeouts: ignored,
  };
}

type OfAssertions = (list: readonly AssertionTemplate[], test: ResolvedTest) => readonly unknown[];

/** Assertions that decide how the conversation goes on, and those on attacks. */
function furtherAssertionFields(ofAssertions: OfAssertions): Pick<Fields<ResolvedTest>, "retries" | "goals"> {
  const retryFields = (test: ResolvedTest): Fields<RetryUntil> => ({
    assertions: { setup: (list) => ofAssertions(list, test) },
    stopWhen: { setup: (list) => ofAssertions(list, test) },
    description: ofSetup,
    maxTries: ofSetup,
    feedback: ofSetup,
    isStrict: ofSetup,
  });
  return {
    retries: {
      setup: (retries, test) =>
        retries.map((retry) => (retry === null ? null : partOf(retry, retryFields(test), "setup"))),
    },
    goals: {
      scoring: (goals, test) => goals.map(({ faults, assertions }) => [faults, ofAssertions(assertions, test)]),
    },
  };
}

/** The models of sub-agents count as the case has them. */
function agentFields(ofTool: ToolParts["ofTool"]): FieldParts<ResolvedAgents> {
  return {
    agent: ({ templates, subagents }) => [
      subagents,
      templates.map(({ tools, ...own }) => [own, tools.map((tool) => ofTool(tool, "agent"))]),
    ],
    setup: ({ templates }) => templates.map(({ tools }) => tools.map((tool) => ofTool(tool, "setup"))),
  };
}

/** What the agent finds in folders, and whom it can delegate to. */
function surroundingFields(
  view: IdentityView,
  ofTool: ToolParts["ofTool"],
): Pick<Fields<ResolvedTest>, "workspace" | "skills" | "agents"> {
  const ofWorkspace = workspaceFields(view);
  return {
    agents: agentFields(ofTool),
    workspace: { setup: (workspace) => partOf(workspace, ofWorkspace, "setup") },
    skills: {
      agent: ({ skills }) => skills.map(({ name, description }) => [name, description]),
      setup: ({ files, texts }) => (texts === undefined ? view.contentsOf(files) : [view.contentsOf(files), texts]),
    },
  };
}

function workspaceFields(view: IdentityView): Fields<WorkspaceConfig> {
  return {
    seed: {
      setup: (seed) =>
        seed.kind === "folder"
          ? view.contentsOf(seed.files)
          : seed.kind === "git"
            ? { ...seed, repository: view.placeOf(seed.repository) }
            : null,
    },
    files: ofSetup,
    env: { setup: view.withoutSecrets },
    keep: ignored,
    // Counted with the skills of the test.
    skills: ignored,
    sandbox: ofSetup,
    network: ofSetup,
    limits: ofSetup,
  };
}

type TargetOf<Kind extends ProgramTarget["kind"]> = Extract<ProgramTarget, { kind: Kind }>;

/** What a program under test is, where it stands and whatever key it is given. */
function createTargetPart(view: IdentityView): (target: ProgramTarget) => unknown {
  const masked: FieldParts<unknown> = { agent: view.withoutSecrets };
  // The id is part of the id of the case.
  const traces: FieldParts<unknown> = { agent: () => true };
  const shared = { kind: ofAgent, id: ignored, proxy: ofAgent, runsTools: ofAgent, traces };
  const command: Fields<TargetOf<"command">> = {
    ...shared,
    command: { agent: (line, target) => [view.lineOf(line), view.contentsOf(view.files.ofTarget(target))] },
    isShell: ofAgent,
    protocol: ofAgent,
    env: masked,
    cwd: { agent: view.placeOf },
  };
  const http: Fields<TargetOf<"http">> = {
    ...shared,
    url: { agent: view.addressOf },
    method: ofAgent,
    headers: masked,
    body: masked,
    response: ofAgent,
  };
  const module: Fields<TargetOf<"module">> = {
    ...shared,
    file: { agent: (_file, target) => view.contentsOf(view.files.ofTarget(target)) },
    exportName: ofAgent,
    with: masked,
  };
  const agent: Fields<TargetOf<"agent">> = {
    ...shared,
    agent: ofAgent,
    // Where it is installed differs between machines.
    program: ignored,
    model: ofAgent,
    args: ofAgent,
    env: masked,
  };
  const mcp: Fields<TargetOf<"mcp">> = {
    ...shared,
    server: ofAgent,
    call: masked,
    before: masked,
    isUnlisted: ofAgent,
  };
  return (target) => {
    switch (target.kind) {
      case "agent":
        return partOf(target, agent, "agent");
      case "command":
        return partOf(target, command, "agent");
      case "http":
        return partOf(target, http, "agent");
      case "mcp":
        return partOf(target, mcp, "agent");
      case "module":
        return partOf(target, module, "agent");
    }
  };
}
