import { describe, expect, it } from 'vitest';
import type { ClusterLink, RelationshipType, Server } from './model.ts';
import { LABEL, layOut, NODE } from './picture-layout.ts';

const server = (id: number, children: Server[] = []): Server => ({
  id,
  name: `s${id}`,
  description: '',
  host: 'db.example.com',
  port: 5432,
  status: 'online',
  active_alert_count: 0,
  primary_role: 'unknown',
  is_expandable: children.length > 0,
  children,
});
const link = (source: number, target: number, type: RelationshipType = 'streams_from'): ClusterLink => ({
  source_connection_id: source,
  target_connection_id: target,
  relationship_type: type,
  is_auto_detected: true,
  is_manual: false,
  readings: [],
  reason: null,
  since: null,
  mend: null,
});

const CASES = {
  'a cascade': {
    servers: [server(1, [server(2, [server(3)]), server(4)])],
    links: [link(2, 1), link(3, 2), link(4, 1)],
  },
  'subscribers of each other': {
    servers: [server(1), server(2)],
    links: [link(1, 2, 'subscribes_to'), link(2, 1, 'subscribes_to')],
  },
  'a circle of three': {
    servers: [server(1), server(2), server(3)],
    links: [link(1, 2, 'subscribes_to'), link(2, 3, 'subscribes_to'), link(3, 1, 'subscribes_to')],
  },
  'a mesh of equals with a standby': {
    servers: [server(1, [server(4)]), server(2), server(3)],
    links: [
      link(1, 2, 'replicates_with'),
      link(2, 3, 'replicates_with'),
      link(1, 3, 'replicates_with'),
      link(4, 1),
    ],
  },
};
const everyId = (servers: readonly Server[]): number[] =>
  servers.flatMap((one) => [one.id, ...everyId(one.children ?? [])]).sort((a, b) => a - b);

describe.each(Object.entries(CASES))('%s', (_name, { servers, links }) => {
  it.each([
    ['wide', false],
    ['narrow', true],
  ])('has a place for each server and a line for each link, %s', (_look, isNarrow) => {
    const { spots, lines, width, height } = layOut(servers, links, isNarrow);
    expect([...spots.keys()].sort((a, b) => a - b)).toEqual(everyId(servers));
    expect(lines).toHaveLength(links.length);
    const all = [...spots.values()];
    for (const [index, a] of all.entries()) {
      expect(a.x).toBeGreaterThanOrEqual(0);
      expect(a.x + NODE.width).toBeLessThanOrEqual(width);
      expect(a.y + NODE.height).toBeLessThanOrEqual(height);
      for (const b of all.slice(index + 1))
        expect(Math.abs(a.x - b.x) >= NODE.width || Math.abs(a.y - b.y) >= NODE.height).toBe(true);
    }
  });

  it.each([false, true])('keeps labels off each other, narrow: %j', (isNarrow) => {
    const labels = layOut(servers, links, isNarrow).lines.map(({ label }) => label);
    for (const { y } of labels) expect(y - LABEL.height / 2).toBeGreaterThanOrEqual(0);
    for (const [index, a] of labels.entries())
      for (const b of labels.slice(index + 1))
        expect(Math.abs(a.x - b.x) >= LABEL.width || Math.abs(a.y - b.y) >= LABEL.height).toBe(true);
  });

  it('keeps labels inside the picture and off the servers, wide', () => {
    const { spots, lines, width } = layOut(servers, links, false);
    for (const { label } of lines) {
      expect(label.x - LABEL.width / 2).toBeGreaterThanOrEqual(0);
      expect(label.x + LABEL.width / 2).toBeLessThanOrEqual(width);
      expect(label.y - LABEL.height / 2).toBeGreaterThanOrEqual(0);
      for (const { x, y } of spots.values()) {
        const apart =
          label.x + LABEL.width / 2 <= x ||
          label.x - LABEL.width / 2 >= x + NODE.width ||
          label.y + LABEL.height / 2 <= y ||
          label.y - LABEL.height / 2 >= y + NODE.height;
        expect(apart).toBe(true);
      }
    }
  });
});

it('stands receivers to the right of whom they receive from', () => {
  const { spots } = layOut(CASES['a cascade'].servers, CASES['a cascade'].links, false);
  const x = (id: number) => spots.get(id)?.x ?? Number.NaN;
  expect(x(2)).toBeGreaterThan(x(1));
  expect(x(3)).toBeGreaterThan(x(2));
  expect(x(4)).toBe(x(2));
});

it('fits a phone', () => {
  const { servers, links } = CASES['a cascade'];
  expect(layOut(servers, links, true).width).toBeLessThanOrEqual(300);
});
