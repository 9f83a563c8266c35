/** A project of the folder `examples` of the repository, which is part of this package. */
export interface Example {
  name: string;
  /** What it shows, in a few words. */
  shows: string;
}

/** From the simplest to those that need more than this package. A new one joins by its folder and its entry. */
export const examples: readonly Example[] = [
  { name: "quick-start", shows: "Two simulated tools, a test that passes, and one that catches a mistake" },
  { name: "support-dataset", shows: "A dataset, a simulated user, and a judge with a rubric" },
  { name: "tool-failures", shows: "A hasty and a careful agent after a permanent error" },
  { name: "existing-agent", shows: "Your own agent, as a program and as an HTTP service, replayed from recordings" },
  { name: "ci-regression", shows: "A committed baseline, gates, and a workflow with two shards" },
  { name: "coding-agent", shows: "An agent that fixes a bug in a workspace, with two prompts" },
  { name: "prompt-injection", shows: "An assistant whose inbox contains attacks" },
  { name: "mcp-server", shows: "An MCP server, tested without a model" },
  { name: "skill-arms", shows: "Whether a skill helps, compared with a placebo" },
  { name: "traces", shows: "Recorded OpenTelemetry spans, scored and turned into a test" },
  { name: "vitest", shows: "Suites as tests of Vitest" },
  { name: "codex", shows: "Codex, unmodified" },
];

export const exampleNames = examples.map(({ name }) => name);
