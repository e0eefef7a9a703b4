// The console over persons of one organization. Somebody of each role has signed in.

import assert from "node:assert/strict";
import { beforeEach } from "node:test";
import { requestDeletionOf } from "../../src/actions/deletion/request-as-operator.ts";
import { operatorRoles } from "../../src/domain/operator.ts";
import { type Customer, makeCustomer } from "../support/customer.ts";
import type { Service } from "../support/service.ts";
import { waitFor } from "../support/wait-for.ts";
import { eachRole, signInPeople } from "./people.ts";

export const timestamp = "2026-01-31T09:30:00Z";
export const reason = "Inquiry 17/26";
export const flags = { is_test_user: false, is_retail_customer: true };

export interface Scene {
  service: Service;
  acme: Customer;
  /** By role. */
  readonly cookies: Readonly<Record<string, string>>;
}

/** Call in the function of the group. The fields of the scene are there once the group runs. */
export function usePersons() {
  const people = signInPeople(eachRole(operatorRoles), {
    prepare: async (service) => {
      Object.assign(scene, { service, acme: await makeCustomer(service.app, service.client) });
    },
  });
  const scene = { cookies: people.cookies } as Scene;

  const send = async (method: string, path: string, body: object) => {
    const { token } = scene.acme;
    const { status, text } = await scene.service.client.send({ method, path, token, body });
    assert.ok(status < 300, text);
  };

  // The requests of a minute from one address are limited.
  beforeEach(() => scene.service.clock.advanceMs(60_000));

  return {
    scene,
    send,
    person: (id: string, more: object) =>
      send("POST", "/v2/person", { person_id: id, ...flags, timestamp, ...more }),
    post: (path: string, form: Record<string, string>, role = "officer") =>
      people.send(role, path.replace("/console/", ""), {
        organization: scene.acme.organizationId,
        reason,
        ...form,
      }),
    /** Waits until the person is erased, or moved with a report that has to be kept. */
    erase: async (resourceId: string): Promise<void> => {
      const { app } = scene.service;
      const { organizationId } = scene.acme;
      const key = { organizationId, resourceType: "person", resourceId };
      const { deletionRequestId } = await requestDeletionOf(app, { ...key, reason: "asked" });
      await waitFor("the deletion", async () => {
        const found = await app.store.findDeletion(deletionRequestId, undefined);
        return found?.status === "completed";
      });
    },
  };
}
