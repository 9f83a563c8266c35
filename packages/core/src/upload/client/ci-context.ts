type Env = Readonly<Record<string, string | undefined>>;

/** What a CI system says of the job that KindLM runs in. */
export interface CiContext {
  /** Build and attempt, which the shards of one run share; null outside of CI. */
  attempt: string | null;
  /** CI systems mostly check out a commit without its branch; null if none is named. */
  branch: string | null;
}

interface CiSystem {
  name: string;
  /** Variables that together name the build and its attempt; the first is always set. */
  attempt: readonly [string, ...string[]];
  /** The first one that is set. */
  branch: readonly string[];
}

const systems: readonly CiSystem[] = [
  { name: "github", attempt: ["GITHUB_RUN_ID", "GITHUB_RUN_ATTEMPT"], branch: ["GITHUB_HEAD_REF", "GITHUB_REF_NAME"] },
  {
    name: "gitlab",
    attempt: ["CI_PIPELINE_ID"],
    branch: ["CI_MERGE_REQUEST_SOURCE_BRANCH_NAME", "CI_COMMIT_REF_NAME"],
  },
  { name: "circleci", attempt: ["CIRCLE_WORKFLOW_ID"], branch: ["CIRCLE_BRANCH"] },
  { name: "buildkite", attempt: ["BUILDKITE_BUILD_ID"], branch: ["BUILDKITE_BRANCH"] },
  {
    name: "azure",
    attempt: ["BUILD_BUILDID"],
    branch: ["SYSTEM_PULLREQUEST_SOURCEBRANCH", "BUILD_SOURCEBRANCH"],
  },
  { name: "jenkins", attempt: ["BUILD_TAG"], branch: ["CHANGE_BRANCH", "BRANCH_NAME"] },
];

export function ciContextOf(env: Env): CiContext {
  const read = (name: string): string => env[name]?.trim() ?? "";
  const system = systems.find(({ attempt }) => read(attempt[0]) !== "");
  if (system === undefined) return { attempt: null, branch: null };
  const parts = system.attempt.map(read).filter((part) => part !== "");
  const branch = system.branch.map(read).find((name) => name !== "") ?? "";
  return {
    attempt: `${system.name}:${parts.join(".")}`.slice(0, 200),
    branch: branch === "" ? null : branch.replace(/^refs\/heads\//, ""),
  };
}
