import { kindlm } from "@kindlm/vitest/plugin";
import { defineConfig } from "vitest/config";

export default defineConfig({ plugins: [kindlm()] });
