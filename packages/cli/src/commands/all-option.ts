import { Option } from "commander";

/** For a command that shows the problems of what it reads; it lets `errorViewOf` know that the command has it. */
export function allOption(): Option {
  return new Option("--all", "show every problem, equal ones one by one").default(false);
}
