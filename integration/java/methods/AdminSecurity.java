package methods;

import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.*;
import org.apache.kafka.common.acl.*;
import org.apache.kafka.common.quota.ClientQuotaAlteration;
import org.apache.kafka.common.quota.ClientQuotaEntity;
import org.apache.kafka.common.quota.ClientQuotaFilter;
import org.apache.kafka.common.quota.ClientQuotaFilterComponent;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;

/** Methods of Admin about ACLs, tokens, SCRAM credentials and quotas. */
class AdminSecurity {
    static void add(MethodTable<Admin> table) {
        acls(table);
        tokens(table);
        credentials(table);
        quotas(table);
    }

    private static void acls(MethodTable<Admin> table) {
        table.call("createAcls", "defaults", (admin, on) ->
            admin.createAcls(List.of(acl(on))).all());
        table.call("createAcls", "options", (admin, on) ->
            admin.createAcls(List.of(acl(on)), new CreateAclsOptions()).all());
        table.call("describeAcls", "defaults", (admin, on) ->
            admin.describeAcls(AclBindingFilter.ANY).values());
        table.call("describeAcls", "options", (admin, on) ->
            admin.describeAcls(AclBindingFilter.ANY, new DescribeAclsOptions()).values());
        table.call("deleteAcls", "defaults", (admin, on) ->
            admin.deleteAcls(List.of(acl(on).toFilter())).all());
        table.call("deleteAcls", "options", (admin, on) ->
            admin.deleteAcls(List.of(acl(on).toFilter()), new DeleteAclsOptions()).all());
    }

    private static void tokens(MethodTable<Admin> table) {
        byte[] token = "token".getBytes();
        table.call("createDelegationToken", "defaults", (admin, on) ->
            admin.createDelegationToken().delegationToken());
        table.call("createDelegationToken", "options", (admin, on) ->
            admin.createDelegationToken(new CreateDelegationTokenOptions()).delegationToken());
        table.call("renewDelegationToken", "defaults", (admin, on) ->
            admin.renewDelegationToken(token).expiryTimestamp());
        table.call("renewDelegationToken", "options", (admin, on) ->
            admin.renewDelegationToken(token, new RenewDelegationTokenOptions())
                .expiryTimestamp());
        table.call("expireDelegationToken", "defaults", (admin, on) ->
            admin.expireDelegationToken(token).expiryTimestamp());
        table.call("expireDelegationToken", "options", (admin, on) ->
            admin.expireDelegationToken(token, new ExpireDelegationTokenOptions())
                .expiryTimestamp());
        table.call("describeDelegationToken", "defaults", (admin, on) ->
            admin.describeDelegationToken().delegationTokens());
        table.call("describeDelegationToken", "options", (admin, on) ->
            admin.describeDelegationToken(new DescribeDelegationTokenOptions())
                .delegationTokens());
    }

    private static void credentials(MethodTable<Admin> table) {
        table.call("alterUserScramCredentials", "defaults", (admin, on) ->
            admin.alterUserScramCredentials(List.of(credential(on))).all());
        table.call("alterUserScramCredentials", "options", (admin, on) ->
            admin.alterUserScramCredentials(
                List.of(new UserScramCredentialDeletion(
                    on.absent(), ScramMechanism.SCRAM_SHA_512)),
                new AlterUserScramCredentialsOptions()).all());
        table.call("describeUserScramCredentials", "defaults", (admin, on) ->
            on.mine(admin.describeUserScramCredentials().users().get(), name -> name));
        table.call("describeUserScramCredentials", "users", (admin, on) ->
            admin.describeUserScramCredentials(List.of(on.absent())).all());
        table.call("describeUserScramCredentials", "options", (admin, on) ->
            admin.describeUserScramCredentials(
                List.of(on.absent()), new DescribeUserScramCredentialsOptions()).all());
    }

    private static void quotas(MethodTable<Admin> table) {
        table.call("alterClientQuotas", "defaults", (admin, on) ->
            admin.alterClientQuotas(List.of(quota(on, "producer_byte_rate"))).values());
        table.call("alterClientQuotas", "validate_only", (admin, on) ->
            admin.alterClientQuotas(
                List.of(quota(on, "consumer_byte_rate")),
                new AlterClientQuotasOptions().validateOnly(true)).values());
        table.call("alterClientQuotas", "unknown", (admin, on) ->
            admin.alterClientQuotas(List.of(quota(on, "no_rate"))).values());
        table.call("describeClientQuotas", "defaults", (admin, on) -> {
            admin.alterClientQuotas(List.of(quota(on, "producer_byte_rate"))).all().get();
            Fixtures.eventually(() -> !admin.describeClientQuotas(filter(on)).entities().get()
                .isEmpty());
            return admin.describeClientQuotas(filter(on)).entities();
        });
        table.call("describeClientQuotas", "options", (admin, on) ->
            admin.describeClientQuotas(filter(on), new DescribeClientQuotasOptions())
                .entities());
    }

    private static AclBinding acl(Fixtures on) throws Exception {
        return new AclBinding(
            new ResourcePattern(ResourceType.TOPIC, on.topic(), PatternType.LITERAL),
            new AccessControlEntry(
                "User:someone", "*", AclOperation.READ, AclPermissionType.ALLOW));
    }

    private static UserScramCredentialUpsertion credential(Fixtures on) {
        return new UserScramCredentialUpsertion(
            on.named("user"), new ScramCredentialInfo(ScramMechanism.SCRAM_SHA_256, 4096),
            "secret");
    }

    private static ClientQuotaAlteration quota(Fixtures on, String key) {
        return new ClientQuotaAlteration(
            new ClientQuotaEntity(Map.of("client-id", on.named("client"))),
            List.of(new ClientQuotaAlteration.Op(key, 4711.0)));
    }

    private static ClientQuotaFilter filter(Fixtures on) {
        return ClientQuotaFilter.containsOnly(List.of(
            ClientQuotaFilterComponent.ofEntity("client-id", on.named("client"))));
    }
}
