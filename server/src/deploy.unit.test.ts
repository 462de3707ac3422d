// The examples in deploy/, read as their tools read them and held against the program: settings, paths, ports, users and files that they
// name exist. No image is built here; what the image is made of, the Debian package, is installed and run by package-deb.proof.test.ts.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { settings } from './cli/settings.ts';
import { variableOf } from './kernel/settings.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(path.join(ROOT, 'deploy', file), 'utf8');
const CONTAINER = read('container/Containerfile');
const USER = /^USER (\d+):\d+$/m.exec(CONTAINER)?.[1];
const PORT = /^EXPOSE (\d+)$/m.exec(CONTAINER)?.[1];
const DATA = /^VOLUME (\S+)$/m.exec(CONTAINER)?.[1];
const HEALTH = ['/health', '/health/live', '/health/ready'];

interface Probe {
  httpGet: { path: string; port: string };
}
interface Container {
  image: string;
  command?: string[];
  env: { name: string; value: string }[];
  ports: { name: string; containerPort: number }[];
  securityContext: Record<string, unknown>;
  volumeMounts: { name: string; mountPath: string }[];
  startupProbe: Probe;
  livenessProbe: Probe;
  readinessProbe: Probe;
}
interface Spec {
  replicas: number;
  minAvailable: number;
  selector: { matchLabels: Record<string, string> };
  template: {
    metadata: { labels: Record<string, string> };
    spec: {
      securityContext: { runAsNonRoot: boolean; runAsUser: number };
      initContainers: Container[];
      containers: Container[];
      volumes: { name: string; secret?: { secretName: string } }[];
    };
  };
}
interface Manifest {
  kind: string;
  metadata: { name: string };
  stringData: Record<string, string>;
  spec: Spec;
}

describe('all files of deploy/', () => {
  it.each([
    'container/Containerfile',
    'container/compose.yaml',
    'container/healthcheck',
    'kubernetes/matriarch.yaml',
    'debian/matriarch.service',
  ])('%s names settings that exist', (file) => {
    const known = new Set([...settings.map(({ key }) => variableOf(key)), 'MATRIARCH_CONFIG']);
    const named = read(file).match(/\bMATRIARCH_[A-Z_]+/g) ?? [];
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter((name) => !known.has(name))).toEqual([]);
  });

  it('give the service settings that exist', () => {
    const known = settings.map(({ key }) => key);
    const given: Record<string, unknown> = parse(read('debian/matriarch.yaml'));
    expect(Object.keys(given).filter((key) => !known.includes(key))).toEqual([]);
    expect(given).toMatchObject({ host: '127.0.0.1', data_dir: '/var/lib/matriarch' });
    expect(read('debian/matriarch.service')).toContain('StateDirectory=matriarch\n');
  });
});

describe('the service', () => {
  it('lets the program tie PostgreSQL to itself, which setpriv does with capset', () => {
    const filters = [...read('debian/matriarch.service').matchAll(/^SystemCallFilter=(.*)$/gm)].map(
      ([, one]) => one,
    );
    expect(filters).toEqual(['@system-service', '~@privileged @resources', 'capset']);
  });

  it('is notified of by a process of the program, and has a watchdog', () => {
    const unit = read('debian/matriarch.service');
    for (const line of ['Type=notify', 'NotifyAccess=all', 'KillMode=mixed', 'Restart=on-failure'])
      expect(unit).toContain(`\n${line}\n`);
    expect(Number(/^WatchdogSec=(\d+)$/m.exec(unit)?.[1])).toBeGreaterThanOrEqual(60);
  });

  it('sends SIGHUP on reload, with no program that a small Debian lacks', async () => {
    const command = /^ExecReload=(\/bin\/sh) -c "([^"]+)"$/m.exec(read('debian/matriarch.service'));
    const [, shell = '', script = ''] = command ?? expect.fail('the service has no ExecReload of a shell');
    const main = spawn(shell, ['-c', 'trap "exit 7" HUP; echo ready; while :; do read -r line; done'], {
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    onTestFinished(() => void main.kill('SIGKILL'));
    await once(main.stdout, 'data');
    const ended = once(main, 'exit');
    // systemd fills in the variable; the search path has nothing.
    execFileSync(shell, ['-c', script.replace('$MAINPID', String(main.pid))], { env: { PATH: '/nowhere' } });
    main.stdin.end();
    expect((await ended)[0]).toBe(7);
  });
});

describe('the image', () => {
  it('runs as a user of its own, and asks for its health where the program answers', () => {
    expect(Number(USER)).toBeGreaterThan(0);
    const version: { version: string } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
    expect(CONTAINER).toContain(`image.version="${version.version}"`);
    const copied = [...CONTAINER.matchAll(/^COPY (?:--chmod=\d+ )?(deploy\S+)/gm)].map(
      ([, file = '']) => file,
    );
    expect(copied.filter((file) => !existsSync(path.join(ROOT, file)))).toEqual([]);
    const target = /^COPY --chmod=0755 \S+ (\S+)$/m.exec(CONTAINER)?.[1];
    expect(CONTAINER).toContain(
      `HEALTHCHECK --interval=30s --timeout=5s --start-period=60s --retries=3 CMD ["${target}"]`,
    );
    const asked = /127\.0\.0\.1:\$\{MATRIARCH_PORT:-(\d+)\}([^']+)'/.exec(read('container/healthcheck'));
    expect([asked?.[1], asked?.[2]]).toEqual([PORT, '/health/live']);
    expect(CONTAINER).toContain(`MATRIARCH_DATA_DIR=${DATA}`);
  });
});

describe('compose', () => {
  it('has a read-only root, and names secrets and volumes that it has', () => {
    interface Service {
      secrets?: string[];
      volumes?: string[];
      read_only?: boolean;
      build?: { context: string; dockerfile: string };
      ports?: string[];
      environment: Record<string, string>;
      depends_on?: Record<string, unknown>;
    }
    const file: {
      services: Record<string, Service>;
      secrets: Record<string, unknown>;
      volumes: Record<string, unknown>;
    } = parse(read('container/compose.yaml'));
    for (const { secrets = [], volumes = [], depends_on = {}, environment } of Object.values(file.services)) {
      expect(secrets.filter((name) => !(name in file.secrets))).toEqual([]);
      expect(
        volumes.map((one) => String(one.split(':')[0])).filter((name) => !(name in file.volumes)),
      ).toEqual([]);
      expect(Object.keys(depends_on).filter((name) => !(name in file.services))).toEqual([]);
      const paths = Object.values(environment).filter((value) => value.startsWith('/run/secrets/'));
      expect(paths.map((one) => path.basename(one)).filter((name) => !secrets.includes(name))).toEqual([]);
    }
    const { matriarch } = file.services;
    expect(matriarch).toMatchObject({ read_only: true, tmpfs: ['/tmp'], cap_drop: ['ALL'] });
    expect(matriarch?.ports).toEqual([`127.0.0.1:8080:${PORT}`]);
    expect(matriarch?.volumes).toEqual([`matriarch:${DATA}`]);
    const { context = '', dockerfile = '' } = matriarch?.build ?? {};
    const root = path.resolve(ROOT, 'deploy/container', context);
    expect(existsSync(path.join(root, dockerfile))).toBe(true);
  });
});

describe('Kubernetes', () => {
  const documents = parseAllDocuments(read('kubernetes/matriarch.yaml'));
  const all: Manifest[] = documents.map((one) => one.toJS());
  const deployments = all.filter(({ kind }) => kind === 'Deployment');
  const secret = all.find(({ kind }) => kind === 'Secret');

  it('is valid YAML with a Deployment and a budget for each role', () => {
    expect(documents.flatMap(({ errors }) => errors)).toEqual([]);
    const roles = settings.find(({ key }) => key === 'roles')?.allowed ?? [];
    const run = deployments.map(
      ({ spec }) =>
        spec.template.spec.containers[0]?.env.find(({ name }) => name === 'MATRIARCH_ROLES')?.value,
    );
    expect(run.toSorted()).toEqual([...roles].sort());
    const budgets = all.filter(({ kind }) => kind === 'PodDisruptionBudget');
    for (const { spec } of deployments) {
      expect(spec.template.metadata.labels).toEqual(spec.selector.matchLabels);
      const own = budgets.find((one) => JSON.stringify(one.spec.selector) === JSON.stringify(spec.selector));
      expect(own?.spec.minAvailable).toBeLessThan(spec.replicas);
    }
  });

  it.each(deployments.map((one) => [one.metadata.name, one.spec.template.spec] as const))(
    '%s runs without root on a read-only root, with ports, paths and files that exist',
    (_name, { securityContext, containers, initContainers, volumes }) => {
      expect(securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: Number(USER) });
      for (const one of [...containers, ...initContainers]) {
        expect(one.securityContext).toMatchObject({
          readOnlyRootFilesystem: true,
          allowPrivilegeEscalation: false,
        });
        const mounted = one.volumeMounts.map(({ name }) => name);
        expect(mounted.filter((name) => !volumes.some((volume) => volume.name === name))).toEqual([]);
      }
      const [program] = containers;
      expect(program?.volumeMounts.map(({ mountPath }) => mountPath)).toEqual(
        expect.arrayContaining([DATA, '/tmp']),
      );
      expect(program?.ports).toEqual([{ name: 'http', containerPort: Number(PORT) }]);
      for (const probe of [program?.startupProbe, program?.livenessProbe, program?.readinessProbe]) {
        expect(HEALTH).toContain(probe?.httpGet.path);
        expect(probe?.httpGet.port).toBe('http');
      }
      // Restarted by what asks nothing of the datastore.
      expect(program?.livenessProbe.httpGet.path).toBe('/health/live');
      const files = Object.keys(secret?.stringData ?? {});
      const used = [...(program?.env ?? []).map(({ value }) => value), ...(initContainers[0]?.command ?? [])];
      const asked = used
        .filter((value) => value.startsWith('/secrets/'))
        .map((value) => path.basename(value));
      expect(asked.toSorted()).toEqual(files.toSorted());
      expect(volumes.find(({ name }) => name === 'secrets')?.secret?.secretName).toBe(secret?.metadata.name);
    },
  );
});
