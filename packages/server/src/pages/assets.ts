import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { extname } from "node:path";
import * as z from "zod";
import { sha256 } from "../auth/secrets.js";

/** Scripts and style sheets of the pages, which the build writes. */
const places = ["pages.json", "../../dist/pages.json"].map((file) => fileURLToPath(new URL(file, import.meta.url)));

const types: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
};

export interface Asset {
  /** With a hash of its content, so that browsers keep it for good. */
  path: string;
  type: string;
  body: string;
}

let loaded: ReadonlyMap<string, Asset> | null = null;

function loadAssets(): ReadonlyMap<string, Asset> {
  if (loaded !== null) return loaded;
  const place = places.find((one) => existsSync(one));
  const files =
    place === undefined ? {} : z.record(z.string(), z.string()).parse(JSON.parse(readFileSync(place, "utf8")));
  loaded = new Map(
    Object.entries(files).map(([name, body]) => {
      const end = extname(name);
      const path = `/assets/${name.slice(0, -end.length)}-${sha256(body).slice(0, 16)}${end}`;
      return [name, { path, body, type: types[end] ?? "text/plain" }];
    }),
  );
  return loaded;
}

/** The address of an asset, such as `page.css`. */
export function assetPath(name: string): string {
  return loadAssets().get(name)?.path ?? `/assets/${name}`;
}

/** Null for a file that this version of the server does not have. */
export function findAsset(file: string): Asset | null {
  return [...loadAssets().values()].find(({ path }) => path === `/assets/${file}`) ?? null;
}
