const projectPath = (project: string): string => `/p/${encodeURIComponent(project)}`;

export const settingsPath = (project: string): string => `${projectPath(project)}/settings`;

export const runPath = (project: string, run: string): string =>
  `${projectPath(project)}/runs/${encodeURIComponent(run)}`;

/** A page with a query, without what is missing. */
function withQuery(path: string, query: Readonly<Record<string, string | null | undefined>>): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (typeof value === "string" && value !== "") params.set(name, value);
  const text = params.toString();
  return text === "" ? path : `${path}?${text}`;
}

interface TrendOf {
  suite?: string;
  case?: string;
  branch?: string | null;
}

export const trendPath = (project: string, of: TrendOf = {}): string =>
  withQuery(`${projectPath(project)}/trends`, { ...of });

export const comparePath = (
  project: string,
  sides: { before?: string; after?: string; by?: "run" | "branch" } = {},
): string => withQuery(`${projectPath(project)}/compare`, { ...sides });
