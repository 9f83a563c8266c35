/** Whether a CI system runs the program: most set CI, some only their own variable. */
export function isCi(env: Readonly<Record<string, string | undefined>>): boolean {
  const { CI } = env;
  if (CI !== undefined && CI !== "") return CI !== "false" && CI !== "0";
  return ["GITHUB_ACTIONS", "GITLAB_CI", "BUILDKITE", "TF_BUILD", "JENKINS_URL", "TEAMCITY_VERSION"].some(
    (name) => (env[name] ?? "") !== "",
  );
}
