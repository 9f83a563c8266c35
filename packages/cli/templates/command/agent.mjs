// Stands in for your program: reads a message from stdin, and writes an answer to stdout.
import { text } from "node:stream/consumers";

const orders = new Map([["ORD-1", "was delivered this morning"]]);

const message = await text(process.stdin);
const [id = "that order"] = /ORD-\d+/.exec(message) ?? [];
const state = orders.get(id);
process.stdout.write(state === undefined ? `I cannot find ${id}.\n` : `Order ${id} ${state}.\n`);
