import { realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { getLanguageService, type CompletionItem, type LanguageService } from "yaml-language-server";
import { SettingsState } from "yaml-language-server/out/src/yamlSettings.js";
import { repository } from "./run-cli.js";

/** Editors as users have them: the service behind YAML in VS Code, Neovim and others. `|>` in a text is the cursor. */
export interface EditorSession {
  complete(text: string): Promise<readonly Offer[]>;
  hover(text: string): Promise<string>;
  /** What is marked, as `line: message`. */
  diagnose(text: string): Promise<readonly string[]>;
}

export interface Offer {
  name: string;
  /** What is put into the file, with `$` places for the cursor. */
  inserted: string;
  words: string;
}

type OpenDocument = Parameters<LanguageService["doHover"]>[0];

interface DocumentModule {
  TextDocument: { create(uri: string, languageId: string, version: number, text: string): OpenDocument };
}

// The documents that the service takes come from its own dependency.
const manifest = realpathSync(join(repository, "node_modules", "yaml-language-server", "package.json"));
const requireOfService: (name: string) => DocumentModule = createRequire(manifest);
const { TextDocument } = requireOfService("vscode-languageserver-textdocument");

const cursor = "|>";

export function openEditor(schema: unknown): EditorSession {
  const format = { documentationFormat: ["markdown" as const, "plaintext" as const] };
  const service = getLanguageService({
    schemaRequestService: (uri) => Promise.reject(new Error(`no schema is fetched: ${uri}`)),
    workspaceContext: { resolveRelativePath: (path) => path },
    yamlSettings: new SettingsState(),
    clientCapabilities: { textDocument: { completion: { completionItem: format } } },
  });
  service.configure({
    validate: true,
    hover: true,
    completion: true,
    schemas: [{ uri: "file:///schema.json", fileMatch: ["*.yaml"], schema }],
  });
  let opened = 0;
  const open = (text: string) => {
    const [before = "", after = ""] = text.split(cursor);
    opened += 1;
    const document = TextDocument.create(`file:///${opened}/kindlm.yaml`, "yaml", 1, before + after);
    return { document, position: document.positionAt(before.length) };
  };
  return {
    complete: async (text) => {
      const { document, position } = open(text);
      return (await service.doComplete(document, position, false)).items.map(toOffer);
    },
    hover: async (text) => {
      const { document, position } = open(text);
      const shown = (await service.doHover(document, position))?.contents;
      return typeof shown === "object" && "value" in shown ? shown.value : "";
    },
    diagnose: async (text) => {
      const found = await service.doValidation(open(text).document, false);
      return found.map(
        ({ range, message }) => `${range.start.line + 1}: ${typeof message === "string" ? message : message.value}`,
      );
    },
  };
}

function toOffer({ label, textEdit, insertText, documentation }: CompletionItem): Offer {
  return {
    name: label,
    inserted: textEdit?.newText ?? insertText ?? label,
    words: typeof documentation === "object" ? documentation.value : (documentation ?? ""),
  };
}
