import process from "node:process";
import { publishResult } from "./publish-result.js";

await publishResult(process.env, (text) => process.stdout.write(text));
