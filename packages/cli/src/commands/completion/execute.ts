import { didYouMean } from "@kindlm/core/program";
import { UsageError } from "../../errors/usage-error.js";
import { readPackageFile } from "../../package-files.js";
import type { InvocationOf } from "../command-definition.js";
import { shells, type completionCommand } from "./command.js";

const files = { bash: "kindlm.bash", zsh: "kindlm.zsh", fish: "kindlm.fish", powershell: "kindlm.ps1" } as const;

export async function execute({ args, environment }: InvocationOf<typeof completionCommand>): Promise<number> {
  const [written = ""] = args;
  const shell = shells.find((one) => one === written.toLowerCase());
  if (shell === undefined) {
    const fix = written === "pwsh" ? 'Did you mean "powershell"?' : didYouMean(written, shells);
    throw new UsageError(`No completion for the shell "${written}"`, fix ?? `Choose one of ${shells.join(", ")}`);
  }
  await environment.stdout.write(await readPackageFile(`completions/${files[shell]}`));
  return 0;
}
