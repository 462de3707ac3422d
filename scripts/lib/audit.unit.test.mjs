// npm run audit: what fails, what is allowed, and what is said where nothing could be asked. The registry is a server of this test.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { describe, expect, it, onTestFinished } from 'vitest';
import { judgeAudit } from './audit.mjs';
import { at } from './paths.mjs';

const TODAY = '2026-11-28';
const ID = 'GHSA-aaaa-bbbb-cccc';
const reportOf = (severity) => ({
  auditReportVersion: 2,
  vulnerabilities: {
    inner: {
      via: [{ name: 'inner', severity, title: 'A hole', url: `https://github.com/advisories/${ID}` }],
    },
    outer: { via: ['inner'] },
  },
});
const judge = (severity, allowed = []) => judgeAudit(reportOf(severity), { allowed, today: TODAY })?.problems;
const entry = (over = {}) => ({ id: ID, reason: 'not reachable', until: '2026-12-31', ...over });

describe('a report', () => {
  it('fails on high and critical advisories, once each', () => {
    for (const severity of ['high', 'critical'])
      expect(judge(severity)).toEqual([`inner: A hole (${severity}, https://github.com/advisories/${ID}).`]);
    for (const severity of ['low', 'moderate']) expect(judge(severity)).toEqual([]);
  });

  it('is allowed an advisory with a reason, to the end of its date', () => {
    expect(judge('high', [entry()])).toEqual([]);
    expect(judge('high', [entry({ until: TODAY })])).toEqual([]);
    expect(judge('high', [entry({ until: '2026-11-27' })])).toEqual([
      expect.stringMatching(/It was allowed until 2026-11-27\.$/),
    ]);
    expect(judge('high', [entry({ reason: '' })])).toEqual([`${ID} is allowed without a reason.`]);
    expect(judge('high', [entry({ until: undefined })])).toContainEqual(
      expect.stringMatching(/allowed without a date/),
    );
    expect(judge('low', [entry()])).toEqual([
      `${ID} is allowed, and nothing has it any more. Remove the entry.`,
    ]);
  });

  it('that is none says nothing', () => {
    expect(judgeAudit({ message: '405' }, { allowed: [], today: TODAY })).toBeUndefined();
  });
});

describe('the command', () => {
  async function audit(answer, args = []) {
    const server = createServer((request, response) => {
      request.resume();
      const isAsked = request.method === 'POST' && request.url.endsWith('/advisories/bulk');
      response.writeHead(isAsked && answer ? 200 : 405, { 'content-type': 'application/json' });
      response.end(JSON.stringify(isAsked && answer ? answer : {}));
    });
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
    const folder = mkdtempSync(path.join(tmpdir(), 'matriarch-audit-test-'));
    onTestFinished(async () => {
      await new Promise((resolve) => server.close(resolve));
      rmSync(folder, { recursive: true, force: true });
    });
    const allowed = path.join(folder, 'allowed.json');
    writeFileSync(allowed, '[]');
    const env = {
      ...process.env,
      npm_config_registry: `http://127.0.0.1:${server.address().port}/`,
      npm_config_cache: folder,
    };
    return new Promise((resolve) => {
      const call = [at('scripts', 'audit.mjs'), '--allowed', allowed, ...args];
      execFile(process.execPath, call, { env }, (error, stdout) =>
        resolve({ code: error?.code ?? 0, stdout }),
      );
    });
  }

  const hole = (severity) => ({
    fastify: [
      {
        id: 1,
        url: `https://github.com/advisories/${ID}`,
        title: 'A hole',
        severity,
        vulnerable_versions: '*',
      },
    ],
  });

  it('fails on what the registry knows of a shipped package', async () => {
    const { code, stdout } = await audit(hole('critical'));
    expect(stdout).toMatch(/^✗ fastify: A hole \(critical, /m);
    expect(code).toBe(1);
  });

  it('is content with an answer without such advisories', async () => {
    const { code, stdout } = await audit({});
    expect([code, stdout]).toEqual([0, 'No high or critical advisory of what is shipped.\n']);
  });

  it('says that nothing was checked where the registry refuses, and fails where that is required', async () => {
    const { code, stdout } = await audit(undefined);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^Skipped: .*405.*Nothing was checked\.\n$/)]);
    expect((await audit(undefined, ['--required'])).code).toBe(1);
  });
});
