interface FormProps {
  path: string;
  branches: readonly string[];
  before: string;
  after: string;
  by: "run" | "branch";
}

function Branches({
  name,
  label,
  branches,
  value,
}: {
  name: string;
  label: string;
  branches: readonly string[];
  value: string;
}) {
  return (
    <div>
      <label for={`branch-${name}`}>{label}</label>
      <select id={`branch-${name}`} name={name}>
        {branches.map((branch) => (
          <option value={branch} selected={branch === value}>
            {branch}
          </option>
        ))}
      </select>
    </div>
  );
}

/** What is compared: the newest runs of two branches, or two runs. */
export function CompareForm({ path, branches, before, after, by }: FormProps) {
  const isBranch = by === "branch";
  const main = branches.find((name) => name === "main" || name === "master") ?? branches[0] ?? "";
  return (
    <div class="spark">
      {branches.length === 0 ? null : (
        <form method="get" action={path} class="card" aria-label="Compare branches">
          <h2>Two branches</h2>
          <p class="meta">The newest run of each.</p>
          <div class="choose">
            <input type="hidden" name="by" value="branch" />
            <Branches name="before" label="Before" branches={branches} value={isBranch ? before : main} />
            <Branches name="after" label="After" branches={branches} value={isBranch ? after : ""} />
            <button type="submit">Compare</button>
          </div>
        </form>
      )}
      <form method="get" action={path} class="card" aria-label="Compare runs">
        <h2>Two runs</h2>
        <p class="meta">IDs as the list of runs has them.</p>
        <div class="choose">
          {(["before", "after"] as const).map((name) => (
            <div>
              <label for={`run-${name}`}>{name === "before" ? "Before" : "After"}</label>
              <input
                id={`run-${name}`}
                name={name}
                required
                autocomplete="off"
                value={isBranch ? "" : name === "before" ? before : after}
              />
            </div>
          ))}
          <button type="submit">Compare</button>
        </div>
      </form>
    </div>
  );
}
