import { inflate } from "./inflate.js";

/**
 * The only script of the file that is not coded. It starts the page, `report-app`, as an inline script, which the policy of
 * the file allows by its hash. Spaces before it are not part of it: the file may need them to hide what looks like a key.
 */
async function startPage(): Promise<void> {
  const script = document.createElement("script");
  script.textContent = (await inflate("report-app")).trimStart();
  document.head.append(script);
}

startPage().catch((error: unknown) => {
  const problem = document.createElement("p");
  problem.textContent = String(error);
  document.getElementById("report")?.prepend(problem);
});
