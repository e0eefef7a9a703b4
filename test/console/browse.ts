// Reads and changes the console over HTTP as a browser does, with a session and the headers that browsers send.

import { createOperator } from "../../src/actions/operator/operators.ts";
import { createSignInLink } from "../../src/actions/operator/sign-in-link.ts";
import type { App } from "../../src/actions/app.ts";
import type { OperatorRole } from "../../src/domain/operator.ts";
import type { Client, Reply } from "../support/http-client.ts";
import { waitFor } from "../support/wait-for.ts";

export interface Sending {
  readonly cookie?: string | undefined;
  readonly headers?: Readonly<Record<string, string | undefined>>;
}

export function read(
  client: Client,
  path: string,
  { cookie, headers }: Sending = {},
): Promise<Reply> {
  return client.send({ method: "GET", path, headers: { ...headers, cookie } });
}

/** Sends a form from a page of the console. */
export function submit(
  client: Client,
  path: string,
  {
    cookie,
    headers,
    ...fields
  }: Sending & { readonly form?: Readonly<Record<string, string>> | string[][] } = {},
): Promise<Reply> {
  return client.send({
    method: "POST",
    path,
    headers: {
      "content-type": "application/x-www-form-urlencoded",
      origin: client.address,
      "sec-fetch-site": "same-origin",
      ...headers,
      cookie,
    },
    body: new URLSearchParams(fields.form).toString(),
  });
}

export interface SentFile extends Sending {
  /** Before the file, as in the form. */
  readonly fields: Readonly<Record<string, string>>;
  readonly name: string;
  readonly content: string | Uint8Array<ArrayBuffer>;
  readonly path?: string;
}

/** Sends the form with a file from a page of the console. */
export async function uploadFile(
  client: Client,
  { cookie, headers, fields, name, content, path = "/console/upload" }: SentFile,
): Promise<Reply> {
  const form = new FormData();
  for (const [field, value] of Object.entries(fields)) form.set(field, value);
  form.set("file", new Blob([content]), name);
  const encoded = new Response(form);
  return client.send({
    method: "POST",
    path,
    headers: {
      "content-type": encoded.headers.get("content-type") ?? "",
      origin: client.address,
      ...headers,
      cookie,
    },
    body: Buffer.from(await encoded.arrayBuffer()),
  });
}

/** Imports an uploaded file, also where some rows would be refused, and returns the page of the result. */
export async function importUpload(
  client: Client,
  path: string,
  sending: Sending,
): Promise<string> {
  const show = async () => (await read(client, path, sending)).text;
  const press = async () => {
    const seen = /name="seen" value="(\d+)"/.exec(await show())?.[1] ?? "";
    await submit(client, `${path}/start`, { ...sending, form: { seen } });
  };
  await press();
  return waitFor("the import", async () => {
    const page = await show();
    if (page.includes("Import the other rows")) await press();
    return page.includes('id="result"') ? page : undefined;
  });
}

/** Creates an operator with these roles, named after them. */
export async function addOperator(
  app: App,
  roles: readonly OperatorRole[],
  name = roles.join("-"),
) {
  await createOperator(app, { name, roles });
  return name;
}

/** The cookie of a new session. */
export async function signIn(
  app: App,
  client: Client,
  name: string,
  sending: Sending = {},
): Promise<string> {
  const { secret } = await createSignInLink(app, name);
  const reply = await submit(client, "/console/link", { ...sending, form: { token: secret } });
  return cookieOf(reply);
}

/** Name and value of the cookie that a reply sets. */
export function cookieOf({ headers }: Reply): string {
  return headers["set-cookie"]?.[0]?.split(";")[0] ?? "";
}
