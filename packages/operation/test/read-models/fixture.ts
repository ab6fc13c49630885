/** The real log, codec and database under the read models, and short helpers for the events of an import. */
import type { DomainEvent, EventData, EventType } from '@cupel/contracts'
import { labelsMigrations } from '@cupel/labels'
import { rebuildReadModel, type ReadModel, type RebuildResult } from '@cupel/projections'
import { openTestInstallation, type TestInstallation } from '@cupel/testkit/installation'
import { readModels } from '../../src/read-models/index.js'

export interface Fixture extends TestInstallation {
  /** Appends the events and waits until the read model, which must be running, has applied them. */
  project(readModel: ReadModel, ...events: readonly DomainEvent[]): Promise<void>
  rebuild(readModel: ReadModel): Promise<RebuildResult>
}

export async function openFixture(): Promise<Fixture> {
  const installation = await openTestInstallation({ migrations: [labelsMigrations], readModels })
  return {
    ...installation,
    async project(readModel, ...events) {
      await installation.append(...events)
      await installation.caughtUp(readModel)
    },
    rebuild: (readModel) => rebuildReadModel({ readModel, ...installation.deps }),
  }
}

let made = 0

export function event<T extends EventType>(
  type: T,
  subject: string,
  data: EventData[T],
  id = `e${(made += 1)}`,
): DomainEvent<T> {
  return {
    type,
    data,
    envelope: {
      id,
      source: 'test',
      time: '2026-11-21T09:00:00.000Z',
      subject,
      correlationId: id,
      causationId: id,
    },
  } as DomainEvent<T>
}
