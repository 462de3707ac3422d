// What POST /connections/test says of a server.
import { expect } from 'vitest';
import type { TestApi } from '../api.ts';
import type { TestServer } from './postgres.ts';

/** A password that must not come back. */
export const CANARY = 'canary-5e7-password';

export interface Report {
  success: boolean;
  steps: { step: string; status: string; message: string; took_ms: number }[];
  server_version: string | null;
  monitoring_script: string;
  logs?: { is_readable: boolean; message: string; mend: string | null };
}

export const bodyOf = (server: TestServer, over: object = {}) => ({
  host: server.host,
  port: server.port,
  database_name: 'postgres',
  username: server.superuser,
  password: server.password,
  ...over,
});

export function reportOf(body: unknown): Report {
  // The reply has been checked against the contract on its way out.
  return JSON.parse(JSON.stringify(body));
}

export async function testedConnection(api: TestApi, server: TestServer, over: object): Promise<Report> {
  const { superuser } = api.actors;
  const answer = await api.call('POST /api/v1/connections/test', {
    token: superuser.session,
    body: bodyOf(server, over),
  });
  expect(answer.error).toBeUndefined();
  expect(answer.text).not.toContain(CANARY);
  return reportOf(answer.body);
}

export const statuses = ({ steps }: Report) => steps.map(({ status }) => status).join(' ');
export const words = ({ steps }: Report, step: string) =>
  steps.find((one) => one.step === step)?.message ?? '';
