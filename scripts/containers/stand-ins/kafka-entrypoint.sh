# What the official image does with its variables: KAFKA_LOG_DIRS is log.dirs; two underscores are one, three are a dash.
set -euo pipefail
file=/opt/kafka/config/server.properties
env -0 | while IFS= read -r -d '' pair; do
  name=${pair%%=*}
  case $name in
    KAFKA_HEAP_OPTS | KAFKA_OPTS) ;;
    KAFKA_*)
      key=$(echo "${name#KAFKA_}" | tr '[:upper:]' '[:lower:]' | sed 's/___/-/g; s/__/%/g; s/_/./g; s/%/_/g')
      printf '%s=%s\n' "$key" "${pair#*=}"
      ;;
  esac
done > "$file"
run() { java ${KAFKA_HEAP_OPTS:-} -XX:+UseSerialGC -Dlog4j2.configurationFile=/opt/kafka/log4j2.properties -cp '/opt/kafka/libs/*' "$@"; }
[ -e /var/lib/kafka/data/meta.properties ] || run kafka.tools.StorageTool format -t "$CLUSTER_ID" -c "$file" >/dev/null
exec java ${KAFKA_HEAP_OPTS:-} -XX:+UseSerialGC -Dlog4j2.configurationFile=/opt/kafka/log4j2.properties -cp '/opt/kafka/libs/*' kafka.Kafka "$file"
