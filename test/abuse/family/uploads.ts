// People who may import and begin forms with files that never come.

import { addOperator, signIn, uploadFile } from "../../console/browse.ts";
import { makeClient } from "../../support/http-client.ts";
import { operate } from "../../support/server.ts";
import { waitFor } from "../../support/wait-for.ts";
import type { Abuse, AbuseContext, Attack } from "../abuse.ts";
import { holdConnections } from "../sending.ts";

const people = 7;

/** The cookies of sessions. */
function signInPeople({ target }: AbuseContext): Promise<readonly string[]> {
  const client = makeClient(target.address);
  return operate(target.environment, async (app) => {
    const cookies: string[] = [];
    for (let index = 0; index < people; index += 1) {
      const name = await addOperator(app, ["operator"], `slow-forms-${index}`);
      cookies.push(await signIn(app, client, name));
    }
    return cookies;
  });
}

async function check(
  { target }: AbuseContext,
  cookie: string | undefined,
): Promise<readonly string[]> {
  const findings: string[] = [];
  const client = makeClient(target.address);
  const fields = { organization: target.organizationId, type: "transaction" };
  const file = { cookie, fields, name: "small.csv", content: "tx_id\n1\n" };
  const upload = async (): Promise<true | undefined> =>
    (await uploadFile(client, file)).status === 303 ? true : undefined;
  try {
    await waitFor("room for a file", upload, { intervalMs: 100 });
  } catch {
    findings.push("forms that were closed still count");
  }
  client.close();
  return findings;
}

const slowForms: Abuse = {
  name: "slow-forms",
  what: "60 forms of 7 people that arrive slowly and have no file",
  prepare: async (context): Promise<Attack> => {
    const cookies = await signInPeople(context);
    const { address } = context.target;
    const headOf = (index: number): string =>
      `POST /console/upload HTTP/1.1\r\nhost: ${new URL(address).host}\r\norigin: ${address}\r\n` +
      `cookie: ${cookies[index % people] ?? ""}\r\ncontent-length: 100000\r\n` +
      `content-type: multipart/form-data; boundary=x\r\n\r\n`;
    return {
      run: () =>
        holdConnections(
          context,
          { connections: context.amount(60, 30), addresses: 4 },
          async (socket, index) => {
            socket.write(headOf(index));
            while (context.mayGoOn() && socket.isOpen) {
              await context.pause(500);
              socket.write("x");
            }
            socket.close();
          },
        ),
      check: () => check(context, cookies[0]),
    };
  },
};

export const uploads: readonly Abuse[] = [slowForms];
