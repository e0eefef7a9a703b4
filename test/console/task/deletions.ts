// Tasks about deletions.

import assert from "node:assert/strict";
import { findActiveOperator } from "../../../src/actions/operator/operators.ts";
import { requestDeletionOf } from "../../../src/actions/deletion/request-deletion.ts";
import { actAs } from "../../../src/actions/operator/viewer.ts";
import { makeCustomer } from "../../support/customer.ts";
import { waitFor } from "../../support/wait-for.ts";
import { addPersonOf, known } from "../scene.ts";
import type { Task } from "./task.ts";

export const deletionTasks: readonly Task[] = [
  {
    title: "cancel a deletion",
    run: async ({ scene, mark, as }) => {
      const person = `person-cancel-${mark}`;
      await scene.addPerson(person);
      const id = await scene.requestDeletion(person);
      const hands = await as("ben");
      await hands.open("Deletions");
      await hands.press(/^Pending/);
      await hands.press(new RegExp(person));
      await hands.see("its grace period");
      await hands.write("Id of the deletion", "del_another");
      await hands.press("Cancel the deletion");
      await hands.see("Nothing was changed");
      // What was typed is still there, and so is the navigation.
      const typed = hands.page.getByLabel("Id of the deletion", { exact: true });
      assert.equal(await typed.inputValue(), "del_another");
      assert.equal(await typed.getAttribute("aria-invalid"), "true");
      await hands.page.getByRole("navigation", { name: "Screens" }).waitFor();
      await hands.write("Id of the deletion", id);
      await hands.press("Cancel the deletion");
      await hands.see("cancelled");
      const deletion = await scene.service.app.store.findDeletion(id, undefined);
      assert.equal(deletion?.status, "cancelled");
    },
  },
  {
    title: "verify the receipt of a deletion",
    run: async ({ scene, as }) => {
      const hands = await as("axel");
      await hands.open("Deletions");
      await hands.press("Completed");
      await hands.press(new RegExp(known.gone.id));
      await hands.see("The receipt is genuine");
      await hands.press("The receipt");
      await hands.page.getByText(`"deletion_request_id":"${scene.completed}"`).waitFor();
    },
  },
  {
    title: "approve a deletion as a second person, and verify its receipt",
    run: async ({ scene: { service }, mark, as }) => {
      const { app, client } = service;
      const [organizationId, resourceId] = [`two-${mark}`, `person-approved-${mark}`];
      const { token } = await makeCustomer(app, client, { organizationId, deletionApproval: true });
      await addPersonOf(service, token, { id: resourceId });
      const anna = actAs(app, await findActiveOperator(app, "anna"));
      const key = { organizationId, resourceType: "person", resourceId };
      const { deletionRequestId: id } = await requestDeletionOf(anna, { ...key, reason: "asked" });
      const requester = await as("anna");
      await requester.open("Deletions");
      await requester.press(new RegExp(resourceId));
      await requester.see("another person has to approve it");
      const hands = await as("ben");
      await hands.open("Deletions");
      await hands.press(new RegExp(resourceId));
      await hands.write("Id of the deletion", id);
      await hands.press("Approve the deletion");
      await hands.see(/approved by/);
      await waitFor("the deletion", async () => {
        const deletion = await app.store.findDeletion(id, undefined);
        return deletion?.status === "completed";
      });
      await hands.page.reload();
      await hands.see("The receipt is genuine");
    },
  },
];
