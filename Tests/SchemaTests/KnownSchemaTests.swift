import GRDB
import Testing

@testable import Backup
@testable import BodyService
@testable import BrainService
@testable import HubService
@testable import LibrarianService

/// What a backup calls newer must be what the processes call newer.
struct KnownSchemaTests {
    @Test func `every step of migration of every process is known, in its order`() {
        let migrators = [
            "library.sqlite": CatalogSchema.migrator.migrations, "body.sqlite": BodySchema.migrator.migrations,
            "brain.sqlite": BrainSchema.migrator.migrations, "hub.sqlite": SpoolSchema.migrator.migrations,
        ]
        #expect(KnownSchemas.migrations == migrators)
    }
}
